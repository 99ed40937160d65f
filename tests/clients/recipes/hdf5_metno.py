"""hdf5-metno: the Rust binding."""

from kit import Cargo

LZF = "the test wants lzf to be absent; the library has it itself"

CLIENT = Cargo("hdf5-metno", "0.15.1", explained={"hl::filters::tests::test_filter_pipeline": LZF})
