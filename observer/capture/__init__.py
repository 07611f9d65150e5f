"""Moving assertions in: what a coordinator says about tasks, prompts and sessions.

Never touches derived rows or an agent's files. Every check and its write
stand in one immediate transaction, so two coordinators cannot both pass.
"""
