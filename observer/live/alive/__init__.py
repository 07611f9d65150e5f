"""How a live session of each agent is seen in the files it keeps, one module per agent.

Looks at names, times and a few first lines; reads no conversation and writes nothing.
"""
