//! Bytes that are a little different: what the smoke test makes of seeds.

/// A small random number generator (SplitMix64; Steele, Lea and Flood 2014): the same changes on
/// every machine.
pub struct Random(u64);

impl Random {
    /// Begins here.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below this one, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// What readers have stumbled over.
const TOKENS: &[&[u8]] = &[
    b"\"",
    b"\"\"",
    b"\n",
    b"\r",
    b"\r\n",
    b",",
    b";",
    b"\t",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"=",
    b"'",
    b"-1",
    b"0",
    b"1e308",
    b"5e-324",
    b"1e999",
    b"NaN",
    b"18446744073709551615",
    b"2147483648",
    b"[",
    b"{",
    b"(",
    b"null",
    b"%",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
];

/// A seed with one to four changes; `other` is one more seed.
pub fn mutated(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(16)).min(bytes.len());
        let token = TOKENS[random.below(TOKENS.len())];
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => drop(bytes.splice(at..at, token.iter().copied())),
            5 => drop(bytes.splice(at..end, token.iter().copied())),
            6 => {
                let again = bytes[at..end].repeat(1 + random.below(64));
                drop(bytes.splice(at..at, again));
            }
            _ => {
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
        }
    }
    bytes
}
