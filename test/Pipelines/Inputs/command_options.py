"""command_options.py: what options `mirage-opt --help` lists."""
import re
import subprocess

COMMAND = re.compile(r"^ {6}--((?:mirage|convert)-[\w-]*) +- ")
OPTION = re.compile(r"^ {8}--([\w-]+)(?:=<(\w+)>)? +- ")


def read_help():
    """[(pass or pipeline, [(option, type)])]"""
    text = subprocess.run(["mirage-opt", "--help"], capture_output=True, text=True, check=True).stdout
    commands = []
    for line in text.splitlines():
        if command := COMMAND.match(line):
            commands.append((command[1], []))
        elif option := OPTION.match(line):
            if commands:
                commands[-1][1].append((option[1], option[2] or ""))
        else:
            commands.append((None, []))  # what follows belongs to something else
    return [command for command in commands if command[0] and "mirage" in command[0]]
