# An integer of a million bits in a file is taken for damage.
/^write: .*, read: /d
