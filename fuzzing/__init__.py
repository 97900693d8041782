"""A campaign of random problems, spoiled schedules and mutated files against the program: `python -m fuzzing`.

It needs the tests beside it, for their judge, their optimum and their samples of files.
"""
