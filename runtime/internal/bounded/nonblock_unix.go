//go:build unix

package bounded

import "syscall"

// nonblock makes opening return even if a pipe took the place of the file just
// now.
const nonblock = syscall.O_NONBLOCK
