"""Puts another operator into the results of a cache, with a checksum that holds.

  forge-record.py FILE FROM TO
"""
import hashlib
import sqlite3
import sys

file, old, new = sys.argv[1:]
columns = "program, sized_program, target, options, version"
database = sqlite3.connect(file)
rows = list(database.execute(f"select {columns}, value from results"))
for *key, value in rows:
    forged = value.replace(f'"operator":"{old}"', f'"operator":"{new}"')
    assert forged != value
    digest = hashlib.sha256()
    for text in ["results", *key, forged]:
        digest.update(f"{len(text.encode())}:{text}".encode())
    database.execute(
        "update results set value = ?, checksum = ? where program = ?",
        (forged, digest.hexdigest(), key[0]),
    )
database.commit()
database.close()
