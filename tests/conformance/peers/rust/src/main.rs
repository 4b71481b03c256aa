//! Validates chain cases with webpki: reads one case per line, writes the ids it accepts.
//!
//! A line has the id, the time in seconds, the leaf, the intermediates and the anchors, separated by spaces:
//! certificates as DER in hexadecimal digits, each followed by a comma.

use std::convert::TryFrom;
use std::io::{self, BufRead};
use webpki::{
    EndEntityCert, SignatureAlgorithm, Time, TlsClientTrustAnchors, TlsServerTrustAnchors,
    TrustAnchor,
};

/// What rustls 0.20 passes as supported.
static ALGORITHMS: &[&SignatureAlgorithm] = &[
    &webpki::ECDSA_P256_SHA256,
    &webpki::ECDSA_P256_SHA384,
    &webpki::ECDSA_P384_SHA256,
    &webpki::ECDSA_P384_SHA384,
    &webpki::ED25519,
    &webpki::RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
    &webpki::RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
    &webpki::RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
    &webpki::RSA_PKCS1_2048_8192_SHA256,
    &webpki::RSA_PKCS1_2048_8192_SHA384,
    &webpki::RSA_PKCS1_2048_8192_SHA512,
    &webpki::RSA_PKCS1_3072_8192_SHA384,
];

fn decode(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn certificates(field: &str) -> Vec<Vec<u8>> {
    field.split_terminator(',').map(decode).collect()
}

/// webpki has no "any usage": a chain that serves a server or a client is accepted.
fn accepts(leaf: &[u8], intermediates: &[&[u8]], roots: &[TrustAnchor], at: Time) -> bool {
    EndEntityCert::try_from(leaf).map_or(false, |leaf| {
        leaf.verify_is_valid_tls_server_cert(
            ALGORITHMS,
            &TlsServerTrustAnchors(roots),
            intermediates,
            at,
        )
        .or_else(|_| {
            leaf.verify_is_valid_tls_client_cert(
                ALGORITHMS,
                &TlsClientTrustAnchors(roots),
                intermediates,
                at,
            )
        })
        .is_ok()
    })
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line of text");
        let fields: Vec<&str> = line.split(' ').collect();
        let [leaves, intermediates, roots] = [2, 3, 4].map(|index| certificates(fields[index]));
        let at = Time::from_seconds_since_unix_epoch(fields[1].parse().expect("seconds"));
        let pool: Vec<&[u8]> = intermediates.iter().map(Vec::as_slice).collect();
        let anchors: Vec<TrustAnchor> = roots
            .iter()
            .filter_map(|root| TrustAnchor::try_from_cert_der(root).ok())
            .collect();
        if leaves.iter().any(|leaf| accepts(leaf, &pool, &anchors, at)) {
            println!("{}", fields[0]);
        }
    }
}
