//! A small pool on disk.

use std::path::Path;

/// Writes a MATLAB file of version 5 with `members` (n × m) and `gt`: noisy copies of
/// three classes, the same for the same seed.
pub fn write_pool(path: &Path, samples: usize, clusterings: usize, seed: u64) {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let truth: Vec<f64> = (0..samples).map(|i| (i % 3 + 1) as f64).collect();
    let mut members = Vec::new();
    for _ in 0..clusterings {
        let clusters = 2 + random(4);
        for class in &truth {
            let noise = random(4) == 0;
            let label = if noise { random(clusters) } else { *class as u64 % clusters };
            members.push(label as f64);
        }
    }
    let mut file = b"MATLAB 5.0 MAT-file".to_vec();
    file.resize(124, b' ');
    file.extend([0x00, 0x01, b'I', b'M']);
    file.extend(matrix("members", samples, clusterings, &members));
    file.extend(matrix("gt", samples, 1, &truth));
    std::fs::write(path, file).unwrap();
}

/// A matrix element: flags, dimensions, name, values.
fn matrix(name: &str, rows: usize, columns: usize, values: &[f64]) -> Vec<u8> {
    const INT8: u32 = 1;
    const INT32: u32 = 5;
    const UINT32: u32 = 6;
    const DOUBLE: u32 = 9;
    const MATRIX: u32 = 14;
    let dimensions = [rows as u32, columns as u32].map(u32::to_le_bytes).concat();
    let body = [
        element(UINT32, &[6_u32, 0].map(u32::to_le_bytes).concat()),
        element(INT32, &dimensions),
        element(INT8, name.as_bytes()),
        element(DOUBLE, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()),
    ]
    .concat();
    element(MATRIX, &body)
}

/// A tagged element, padded to whole words.
fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = [kind, data.len() as u32].map(u32::to_le_bytes).concat();
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}
