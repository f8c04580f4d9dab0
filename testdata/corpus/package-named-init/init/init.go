package init

type Phase int
