package stand

import (
	"net"
	"net/http"
)

// loopback is a port of this machine that the system chooses.
const loopback = "127.0.0.1:0"

// serve starts a server on loopback and returns its address.
func serve(handler http.Handler) (server *http.Server, addr string, err error) {
	listener, err := net.Listen("tcp", loopback)
	if err != nil {
		return nil, "", err
	}
	server = &http.Server{Handler: handler}
	go server.Serve(listener)
	return server, listener.Addr().String(), nil
}
