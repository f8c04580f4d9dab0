// Package promtest lets Prometheus itself say whether the dashboard and the alerts
// of runtime/prometheus are right: its parser reads every expression, and a server,
// where one is installed, scrapes a program that is in all kinds of trouble and
// answers every panel and every alert.
//
// It is a module of its own, and not one of the workspace, because the parser comes
// with a graph of modules that nobody else should download:
//
//	cd runtime/internal/promtest && GOWORK=off go test .
package promtest
