package in

// By hand.
const limit = 3
