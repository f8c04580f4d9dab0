package streams // want package:`.*`

import (
	"context"
	"io"
	"net/http"
)

//resilience:bulkhead
type Files interface {
	//resilience:stream
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	//resilience:stream
	Fetch(ctx context.Context, url string) (*http.Response, error)

	Size(ctx context.Context, name string) (int64, error)
}

func dropped(ctx context.Context, files Files) error {
	files.Open(ctx, "a")           // want `what Files.Open returns is never closed, so the call holds its permit until it is collected; close it`
	_, err := files.Open(ctx, "b") // want `Files.Open returns is never closed`
	files.Size(ctx, "c")
	return err
}

func status(ctx context.Context, files *ResilientFiles) (int, error) {
	answer, err := files.Fetch(ctx, "a") // want `Files.Fetch returns is never closed`
	if err != nil {
		return 0, err
	}
	return answer.StatusCode + len(answer.Header), nil
}

func closed(ctx context.Context, files Files) (io.ReadCloser, error) {
	answer, err := files.Fetch(ctx, "a")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := files.Open(ctx, "b")
	if err != nil {
		return nil, err
	}
	read, err := files.Open(ctx, "c")
	if err != nil {
		return nil, err
	}
	if _, err := read.Read(nil); err != nil {
		return nil, err
	}
	passed, err := files.Fetch(ctx, "d")
	if err == nil {
		keep(passed)
	}
	var before *http.Response
	before, err = files.Fetch(ctx, "e")
	_ = before.Status
	return body, err
}

func keep(*http.Response) {}
