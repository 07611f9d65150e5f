"""Names, one-line helps and modules of the commands, as data.

Nothing is imported here, so help and version stay instant; the module of a
command is loaded when it runs.
"""

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("observer.cli.demo", "see it work on bundled records; leaves nothing behind"),
    "sync": ("observer.cli.sync", "import what the agents have recorded since last time"),
    "usage": ("observer.cli.usage", "how much was used, by day, model, project and more"),
    "sessions": ("observer.cli.sessions", "list sessions, or show one"),
    "responses": ("observer.cli.responses", "list single model responses"),
    "task": ("observer.cli.task", "list tasks, or report what one cost"),
    "capture": ("observer.cli.capture", "say which prompts and sessions belong to which task"),
    "export": ("observer.cli.export", "write a task's evidence: sanitized, sealed JSON"),
    "schema": ("observer.cli.schema", "print the JSON Schema of the evidence"),
    "publish": ("observer.cli.publish", "keep one comment on a pull request or commit up to date"),
    "prices": ("observer.cli.prices", "list, explain, check or start a price schedule"),
    "trace": ("observer.cli.trace", "what happened in a task, session or turn, event by event"),
    "faults": ("observer.cli.faults", "list the places in the records that could not be read"),
    "health": ("observer.cli.health", "find live sessions that leave no records"),
    "doctor": ("observer.cli.doctor", "check the installation, the ledger and the sources, and say what to do"),
    "config": ("observer.cli.config", "show or write the settings: extra places, project aliases, time zone"),
    "completion": ("observer.cli.completion", "print a script that completes commands in bash, zsh or fish"),
}
