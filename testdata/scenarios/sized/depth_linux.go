package sized

const depth = 8
