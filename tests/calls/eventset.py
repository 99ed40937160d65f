"""Calls that are given to an event set: what came of them is known when the set has done them."""
import ctypes as c

import abi

FOREVER = 2**64 - 1


def settled(player, call, result):
    """What the call returned, and the outermost record of its failure; -1 and that where the set says that it failed."""
    function, lib = call.function, player.lib
    event_set = call.values[-1].value if function.name.endswith("_async") else 0
    if not event_set or player.failed(function.result, result) or lib.H5Iget_type(event_set) != _kind(player):
        return result, None
    count, failed = c.c_size_t(), c.c_ubyte()
    if lib.H5ESwait(event_set, FOREVER, c.byref(count), c.byref(failed)) < 0 or not failed.value:
        return result, None
    return -1, _told(player, event_set)


def _kind(player):
    return player.facts.enums["H5I_type_t"]["H5I_EVENTSET"]


def _told(player, event_set):
    """The outermost record of what failed; the set forgets it."""
    info, count = abi.structures["H5ES_err_info_t"](), c.c_size_t()
    if player.lib.H5ESget_err_info(event_set, 1, c.byref(info), c.byref(count)) < 0 or not count.value:
        return None
    record = player.error(info.err_stack_id)
    player.lib.H5Eclose_stack(info.err_stack_id)
    player.lib.H5ESfree_err_info(1, c.byref(info))
    return record
