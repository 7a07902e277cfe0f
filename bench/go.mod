module github.com/formatgauge/formatgauge/bench

go 1.26.0

require (
	github.com/formatgauge/formatgauge v0.0.0
	github.com/tinylib/msgp v1.6.5
)

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/philhofer/fwd v1.2.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/formatgauge/formatgauge => ../
