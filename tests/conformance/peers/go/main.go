// Validates chain cases with crypto/x509: reads a JSON list of cases, writes the version of Go and the ids it accepts.
package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"runtime"
	"time"
)

type testCase struct {
	ID            string    `json:"id"`
	Leaf          string    `json:"leaf"`
	Intermediates []string  `json:"intermediates"`
	Roots         []string  `json:"roots"`
	At            time.Time `json:"at"`
}

type answer struct {
	Version  string   `json:"version"`
	Accepted []string `json:"accepted"`
}

func parse(text string) *x509.Certificate {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil
	}
	return certificate
}

func pool(texts []string) *x509.CertPool {
	certificates := x509.NewCertPool()
	for _, text := range texts {
		if certificate := parse(text); certificate != nil {
			certificates.AddCert(certificate)
		}
	}
	return certificates
}

func accepts(one testCase) bool {
	leaf := parse(one.Leaf)
	if leaf == nil {
		return false
	}
	_, err := leaf.Verify(x509.VerifyOptions{
		Roots:         pool(one.Roots),
		Intermediates: pool(one.Intermediates),
		CurrentTime:   one.At,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	return err == nil
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	result := answer{Version: runtime.Version(), Accepted: []string{}}
	for _, one := range cases {
		if accepts(one) {
			result.Accepted = append(result.Accepted, one.ID)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}
