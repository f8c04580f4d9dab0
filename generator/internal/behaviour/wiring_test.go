package behaviour_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/testdata/scenarios/aliased"
	"github.com/resgen-go/resgen/testdata/scenarios/generic"
	"github.com/resgen-go/resgen/testdata/scenarios/guarded"
	"github.com/resgen-go/resgen/testdata/scenarios/probed"
)

// mistaken is the error of a constructor.
func mistaken[I, W any](constructor func(I, *resilience.Registry, ...resilience.WrapperOption) (W, error), next I, r *resilience.Registry) string {
	if _, err := constructor(next, r); err != nil {
		return err.Error()
	}
	return ""
}

func TestFieldF09ConstructorsSayWhatIsNil(t *testing.T) {
	r := registry(t, `{}`)
	var wrapper *probed.ResilientCatalog
	for want, got := range map[string]string{
		"probed.Catalog: the client to be guarded is nil":     mistaken(probed.NewResilientCatalog, nil, r),
		"guarded.Payments: the client to be guarded is nil":   mistaken(guarded.NewResilientPayments, nil, r),
		"guarded.Payments: the registry is nil":               mistaken(guarded.NewResilientPayments, nil, nil),
		"generic.Repository: the client to be guarded is nil": mistaken(generic.NewResilientRepository[int, string], nil, r),
		"probed.Catalog: the client to be guarded is nil; ":   mistaken(probed.NewResilientCatalog, probed.Catalog(wrapper), r),
	} {
		if !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// sold is a client around another one.
type sold struct{ probed.Catalog }

func TestFieldF08ConstructorsFindWrappersOfTheSameRegistry(t *testing.T) {
	r, other := registry(t, `{}`), registry(t, `{}`)
	inner := wrap(t, probed.NewResilientCatalog, probed.Catalog(sold{}), r)
	for name, next := range map[string]probed.Catalog{"bare": inner, "inside": sold{inner}, "behind a pointer": &sold{inner}} {
		got := mistaken(probed.NewResilientCatalog, next, r)
		if !strings.HasPrefix(got, "probed.Catalog: the client to be guarded is a wrapper of probed.Catalog already") || strings.Contains(got, "\n") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := mistaken(probed.NewResilientCatalog, probed.Catalog(inner), other); got != "" {
		t.Error(got)
	}
	if got := mistaken(aliased.NewResilientConn, aliased.Conn(wrap(t, aliased.NewResilientConn, aliased.Conn(new(net.TCPConn)), r)), r); got == "" {
		t.Error("around a wrapper of an interface that has the name of another: no error")
	}
}

// broke takes each call for too much.
type broke struct{ guarded.Payments }

func (broke) Refund(context.Context, *guarded.Receipt) error { return errDependency }

func TestClientsC15RefusalsNameThePackage(t *testing.T) {
	r := registry(t, `{"breakers": {"refunds": {"failureThreshold": 1}}}`)
	w := wrap(t, guarded.NewResilientPayments, guarded.Payments(broke{}), r)
	w.Refund(t.Context(), nil)
	var refusal *resilience.RefusalError
	if err := w.Refund(t.Context(), nil); !errors.As(err, &refusal) || refusal.Method != "guarded.Payments.Refund" {
		t.Errorf("got %v", err)
	}
}

func TestClientsC12EachInstanceOfAWrapperHasItsOwnGuards(t *testing.T) {
	r := registry(t, `{}`)
	wrapper := func(name string) *guarded.ResilientPayments {
		w, err := guarded.NewResilientPayments(payments{}, r, resilience.Instance(name))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	dead, well := wrapper("a"), wrapper("b")
	open(t, r, "payments/a")
	if _, err := dead.Charge(t.Context(), guarded.ChargeRequest{}); !errors.Is(err, resilience.ErrOpen) || !strings.Contains(err.Error(), "breaker payments/a") {
		t.Errorf("the dead one returned %v", err)
	}
	if _, err := well.Charge(t.Context(), guarded.ChargeRequest{}); errors.Is(err, resilience.ErrOpen) {
		t.Errorf("the one that is well returned %v", err)
	}
}
