package adapter

import "embed"

// Schemas holds the JSON Schemas of the messages of the protocol, in the folder
// schema: request.json, response.json, and tree.json, which both refer to.
//
//go:embed schema/*.json
var Schemas embed.FS
