module certmgr/conformance

go 1.19
