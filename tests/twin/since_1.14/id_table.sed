# Ids have a new name.
s/Object atom/Object ID/
