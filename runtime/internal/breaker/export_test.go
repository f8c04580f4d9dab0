package breaker

const KeptApart = keptApart
