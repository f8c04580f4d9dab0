package retry

import (
	"math"
	"sync/atomic"
)

// whole is one retry in the units of a budget. They are so small that a share of a
// success as low as a millionth of a percent counts.
const whole = 1_000_000_000

// A Budget bounds how many retries there are beside the successes. Each success adds
// a share of a retry; each retry takes a whole one when it is decided, so that those
// count that wait for their pause. Its methods are safe for concurrent use.
type Budget struct {
	name    string
	emptied func()       // nil: nobody wants to know
	left    atomic.Int64 // in units
	most    atomic.Int64
	share   atomic.Int64 // that a success adds
	refused atomic.Uint64
	told    atomic.Bool // that it is empty
}

// NewBudget is a full budget. When it is empty it calls emptied for the first retry
// that it refuses, and again after it has had some; nil tells nobody.
func NewBudget(name string, s *BudgetSettings, emptied func()) *Budget {
	b := &Budget{name: name, emptied: emptied}
	b.tune(s)
	b.left.Store(b.most.Load())
	return b
}

// Name is the name that settings use.
func (b *Budget) Name() string { return b.name }

func (b *Budget) tune(s *BudgetSettings) {
	b.most.Store(int64(s.Burst) * whole)
	b.share.Store(int64(math.Round(s.Percent * whole / 100)))
}

// Retune puts other settings in force. What is left stays, up to the new burst.
func (b *Budget) Retune(s *BudgetSettings) {
	b.tune(s)
	b.add(0)
}

// Success adds what one success is worth. While the budget is full it writes nothing.
func (b *Budget) Success() {
	if b.left.Load() < b.most.Load() {
		b.earn()
	}
}

func (b *Budget) earn() { b.add(b.share.Load()) }

// Take takes a retry, or reports that there is none.
func (b *Budget) Take() bool {
	for {
		left := b.left.Load()
		if left < whole {
			b.refused.Add(1)
			if !b.told.Swap(true) && b.emptied != nil {
				b.emptied()
			}
			return false
		}
		if b.left.CompareAndSwap(left, left-whole) {
			return true
		}
	}
}

// Return gives back a retry that was taken and not made.
func (b *Budget) Return() { b.add(whole) }

// add never goes above the burst.
func (b *Budget) add(n int64) {
	for {
		left := b.left.Load()
		now := min(left+n, b.most.Load())
		if now == left {
			return
		}
		if b.left.CompareAndSwap(left, now) {
			if now >= whole && b.told.Load() {
				b.told.Store(false)
			}
			return
		}
	}
}

// BudgetSnapshot is a budget at one moment.
type BudgetSnapshot struct {
	Name    string
	Left    float64 // retries that could be made now
	Burst   int
	Refused uint64 // retries that it forbade
}

// Snapshot tells how the budget is.
func (b *Budget) Snapshot() BudgetSnapshot {
	return BudgetSnapshot{b.name, float64(b.left.Load()) / whole, int(b.most.Load() / whole), b.refused.Load()}
}
