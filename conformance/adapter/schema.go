package adapter

import "embed"

// Schemas holds the JSON Schemas of the protocol's messages, in the folder
// schema: request.json, response.json, and tree.json which both use.
//
//go:embed schema/*.json
var Schemas embed.FS
