"""What Model Router's records can and cannot show (observer.adapters.capability)."""

from observer.adapters.capability import Capabilities, no, partly, yes

CAPABILITIES: Capabilities = {
    "model_usage": no("Figures of an invocation are copies; the worker's own session is what counts."),
    "model": yes("What was asked for and what ran, per invocation."),
    "effort": yes("Beside the model."),
    "native_cost": no("Not taken from invocations."),
    "prompts": no("A person's words are in the planner's own session."),
    "subagents": no("Workers are sessions of other agents, bound to the job's task."),
    "forks": no("Does not apply."),
    "tool_call": no("In the worker's own session."),
    "tool_result": no("In the worker's own session."),
    "read": no("In the worker's own session."),
    "skill_read": no("In the worker's own session."),
    "skill_invoke": no("In the worker's own session."),
    "file_change": no("In the worker's own session."),
    "permission": no("In the worker's own session."),
    "assistant_message": no("In the worker's own session."),
    "compaction": no("In the worker's own session."),
    "lifecycle": no("The states of jobs and invocations are attempts, not events."),
    "exit_status": partly("The return code of an invocation."),
    "call_results": no("Does not apply."),
    "quota": yes("Readings of each pool and window: levels, not amounts."),
    "live_state": partly("The process of the controller of a job."),
}
