package router

import (
	"context"

	"inferonce/jobstore"
)

// A job's first attempt is written together with the job, and who its target
// is must not cost a call to the store. So each router remembers which primaries
// are demoted, and looks anew at every poll. Only for those it then asks who may
// take over.

// lookAtPrimaries reads which routes have a demoted primary. While the store
// does not tell, what is known stays.
func (r *Router) lookAtPrimaries(ctx context.Context) {
	var refs []string
	var pairs []jobstore.Pair
	for ref, route := range r.routes {
		refs = append(refs, ref)
		pairs = append(pairs, jobstore.Pair{Target: route.Primary, Digest: route.Contract.Digest})
	}
	recs, err := r.Store.EligibilityOfEach(ctx, pairs)
	if err != nil {
		return
	}
	found := map[string]bool{}
	for i, rec := range recs {
		if isDemoted(rec, now()) {
			found[refs[i]] = true
		}
	}
	r.demoted.Store(&found)
}

// firstTarget is where a job's first attempt goes: to the primary, or, while
// that one is demoted or where it can't take the request, to the first fallback
// that may take over.
func (r *Router) firstTarget(ctx context.Context, route *Route, unfit map[string]jobstore.Excluded) (string, error) {
	_, no := unfit[route.Primary]
	if code, _ := r.guard.shun(route.Primary); code != "" {
		no = true
	}
	if known := r.demoted.Load(); !no && (known == nil || !(*known)[route.Contract.Ref()]) {
		return route.Primary, nil
	}
	s, err := r.situation(ctx, route, nil, unfit, nil, route.Budget)
	if err != nil {
		return "", err
	}
	order := s.inOrder()
	if len(order) == 0 {
		return "", &NoTargetError{excluded(route, s.barred)}
	}
	return s.preferred(order), nil
}
