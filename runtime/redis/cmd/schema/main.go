// Command schema prints the JSON Schema of settings files with the section
// sharedState, for editors:
//
//	go run github.com/resgen-go/resgen/runtime/redis/cmd/schema > resilience.schema.json
package main

import (
	"log"
	"os"

	"github.com/resgen-go/resgen/runtime/redis"
)

func main() {
	if _, err := os.Stdout.Write(redis.Schema()); err != nil {
		log.Fatal(err)
	}
}
