# A result that is longer than its buffer is said to be is refused.
/^(optional|needed), tells 0: /d
