"""What is refused before it is done: more work than anybody can have meant, numbers longer than anybody writes."""
