#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| threshnet_fuzz::run("parquet", bytes));
