package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	resilience "github.com/resgen-go/resgen/runtime"
)

// client calls one service over HTTP.
type client struct {
	base string
	http *http.Client
}

// statusError is an answer other than 200.
type statusError int

func (e statusError) Error() string { return "answered " + strconv.Itoa(int(e)) }

// classifyStatus says what an error means for a service: an answer below 500 is
// the caller's own fault and shows that the service is well.
func classifyStatus(err error) resilience.Outcome {
	var status statusError
	switch {
	case err == nil, errors.As(err, &status) && status < http.StatusInternalServerError:
		return resilience.Success
	}
	return resilience.Failure
}

func (c client) post(ctx context.Context, path string, form url.Values) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", statusError(resp.StatusCode)
	}
	return string(body), nil
}

// paymentsClient is the bare Payments, before resgen's wrapper.
type paymentsClient struct{ client }

func (c paymentsClient) Charge(ctx context.Context, order string, cents int) (string, error) {
	form := url.Values{"order": {order}, "cents": {strconv.Itoa(cents)}}
	receipt, err := c.post(ctx, "/charge", form)
	if err != nil {
		return "", fmt.Errorf("payments: %w", err)
	}
	return receipt, nil
}

func (c paymentsClient) Ping(ctx context.Context) error {
	_, err := c.post(ctx, "/ping", nil)
	return err
}

// inventoryClient is the bare Inventory.
type inventoryClient struct{ client }

func (c inventoryClient) Delivery(ctx context.Context, order string) (days int, err error) {
	text, err := c.post(ctx, "/delivery", url.Values{"order": {order}})
	if err != nil {
		return 0, fmt.Errorf("inventory: %w", err)
	}
	return strconv.Atoi(text)
}

func (c inventoryClient) Pick(ctx context.Context, order, item string) error {
	if _, err := c.post(ctx, "/pick", url.Values{"order": {order}, "item": {item}}); err != nil {
		return fmt.Errorf("inventory: %w", err)
	}
	return nil
}
