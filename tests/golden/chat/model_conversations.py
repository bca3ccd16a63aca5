"""Conversations that every model template of templates/ is rendered with."""

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather of a city <b>now</b> — 天气",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City name, e.g. \"Zürich\""},
                "days": {"type": "integer", "default": 1},
                "items": {"type": "array", "items": {"type": "string"}},
                "limit": {"type": "number", "default": 1.0},
            },
            "required": ["city"],
        },
    },
}
CLOCK = {"type": "function", "function": {"name": "clock", "description": "Time", "parameters": {"type": "object", "properties": {}}}}


def call(name, arguments, call_id="call_1"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def user(content):
    return {"role": "user", "content": content}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def system(content):
    return {"role": "system", "content": content}


def tool(content, call_id="call_1"):
    return {"role": "tool", "tool_call_id": call_id, "content": content}


ARGUMENTS = {"city": "Zürich", "days": 3, "deep": {"a": [1, 2.5, None], "b": True}, "list": ["x", "y"], "no": None, "yes": True, "ratio": 1.0}

MESSAGES = {
    "one_user": [user("Hello")],
    "system_user": [system("You are terse."), user("Hello")],
    "empty_system": [system(""), user("Hi")],
    "three_turns": [system("S"), user("One"), assistant("1"), user("Two"), assistant("2"), user("Three")],
    "unicode": [system("你好 🌍"), user("naïve — „Zitat“ 👩‍👩‍👧 \u00a0 e\u0301")],
    "white_space": [system("  padded \n"), user("\n\n  text\t\n"), assistant("  reply  \n"), user(" x ")],
    "markup_in_text": [user("<|im_end|> {{ 7*7 }} {% if %} <think>a</think>")],
    "think_in_content": [user("Q"), assistant("<think>\nfirst\n\n</think>\n\nAnswer"), user("Again")],
    "think_at_end": [user("Q"), assistant("<think>\nhm\n</think>\n\nAnswer")],
    "reasoning_key": [user("Q"), assistant("A", reasoning_content="because"), user("Q2"), assistant("A2", reasoning_content="\nso\n")],
    "reasoning_empty": [user("Q"), assistant("A", reasoning_content="")],
    "ends_with_assistant": [user("Q"), assistant("A")],
    "parts": [user([{"type": "text", "text": "part one "}, {"type": "text", "text": "part two"}])],
    "system_parts": [system([{"type": "text", "text": "sys"}]), user([{"type": "text", "text": "hi"}])],
    "late_system": [user("Q"), system("late"), user("R")],
    "observation": [user("Q"), assistant("A"), {"role": "system", "name": "observation", "content": "seen"}, user("R")],
    "none_content": [user("Q"), assistant(None), user("R")],
    "no_messages": [],
    "unknown_role": [user("Q"), {"role": "critic", "content": "bad"}],
    "two_users": [user("A"), user("B")],
    "call_object": [user("W?"), assistant("", tool_calls=[call("get_weather", ARGUMENTS)]), tool("sunny"), assistant("It is sunny.")],
    "call_string": [user("W?"), assistant("", tool_calls=[call("get_weather", '{"city": "Bern"}')]), tool("{\"t\": 20}")],
    "call_none_content": [user("W?"), assistant(None, tool_calls=[call("clock", {})]), tool("12:00")],
    "call_no_content": [user("W?"), {"role": "assistant", "tool_calls": [call("clock", {})]}, tool("12:00")],
    "two_calls": [
        user("W?"),
        assistant("Let me look.", tool_calls=[call("get_weather", {"city": "A"}), call("clock", {}, "call_2")]),
        tool("rain"),
        tool("noon", "call_2"),
        assistant("Rain at noon."),
        user("Thanks"),
    ],
    "call_with_reasoning": [
        system("S"),
        user("W?"),
        assistant("", reasoning_content="I should call.", tool_calls=[call("clock", {})]),
        tool("12:00"),
        assistant("Noon.", reasoning_content="Tool said so."),
    ],
    "tool_response_user": [user("Q"), assistant("A"), user("<tool_response>\nx\n</tool_response>")],
    "bare_call": [user("W?"), assistant("", tool_calls=[{"name": "clock", "arguments": {"a": 1}}]), tool("t")],
}

SETTINGS = {
    "plain": {},
    "no_prompt": {"add_generation_prompt": False},
    "thinking": {"enable_thinking": True},
    "no_thinking": {"enable_thinking": False},
    "tools": {"tools": [WEATHER, CLOCK]},
    "tools_no_thinking": {"tools": [WEATHER], "enable_thinking": False, "date_string": "01 Jan 2026", "tools_in_user_message": False},
}


def conversations():
    for message_name, messages in MESSAGES.items():
        for setting_name, setting in SETTINGS.items():
            variables = {
                "messages": messages,
                "tools": None,
                "documents": None,
                "add_generation_prompt": True,
                "bos_token": "<s>",
                "eos_token": "</s>",
                **setting,
            }
            yield f"{message_name}/{setting_name}", variables
