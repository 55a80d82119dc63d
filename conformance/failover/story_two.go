package failover

var twoRouters = Story{
	ID:     "two-routers/double-click",
	Title:  "clicks that reach two routers are one job and one execution",
	Proves: []string{"R2", "R3"},
	Asks:   "20 identical requests with one key at once, half of them to each router",
	Needs:  []Need{NeedSecond},
	Run:    func(w *World) { clicks(w, 20, w.d.BaseURL, w.secondary) },
}

var twoRoutersSettle = Story{
	ID:     "two-routers/settled-elsewhere",
	Title:  "an unknown attempt of one router is settled through another, and the caller of either gets the result",
	Proves: []string{"R6", "R12"},
	Asks:   "a request to one router whose primary is silent; a settlement through the other; the request again, to both",
	Needs:  []Need{NeedSecond},
	Run: func(w *World) {
		in, j, _ := w.Unknown(w.d.Hold, nil)
		first := w.api
		w.api.base = w.secondary
		w.Settled(j, 1, "executed", w.d.Hold.Outputs[1])
		w.Succeeds(in, 1)
		w.api = first
		w.Succeeds(in, 1)
		w.Equal("the number of calls", len(w.Ran(in.Ref)), 1)
	},
}
