# Filters of strings and sequences are treated as those of other types.
/^(string|sequence), layout ([01], pipeline [02]|2, pipeline [13]), space 0: /d
