package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"inferonce/configs"
	"inferonce/router"
)

// storeReport hands a report to the store of the configuration: by the same
// function as the router's API, so that the same is refused for the same reasons.
func storeReport(ctx context.Context, c *configs.Config, raw []byte, talk io.Writer) (err error) {
	quiet := *c
	quiet.Log.Level = "error"
	p, err := wire(ctx, &quiet, storeOptions(c.Store), configs.NewCredentials(c.Keys), talk)
	if err != nil {
		return err
	}
	defer func() {
		if closed := p.store.Close(); err == nil {
			err = exit(exitCouldNotRun, closed)
		}
	}()
	rec, err := p.router.AcceptReport(ctx, raw, "conformance at "+routerName())
	if refused, ok := errors.AsType[*router.ReportError](err); ok {
		return exitf(exitUsage, "report_refused: %s: %s", refused.Code, refused.Message)
	}
	if err != nil {
		return exit(exitCouldNotRun, err)
	}
	fmt.Fprintf(talk, "%s is %s for %s: %s\n", clean(rec.Target), clean(string(rec.State)), clean(rec.Contract), clean(rec.Reason))
	return nil
}
