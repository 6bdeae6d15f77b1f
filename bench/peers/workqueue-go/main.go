// The queue operations of bench/workqueue.ts on client-go: prints {"operation": nanoseconds} with the median of some rounds.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"time"

	"k8s.io/client-go/util/workqueue"
)

const rounds = 5

func median(operations int, work func()) float64 {
	times := make([]float64, rounds)
	for i := range times {
		start := time.Now()
		work()
		times[i] = float64(time.Since(start).Nanoseconds()) / float64(operations)
	}
	sort.Float64s(times)
	return times[rounds/2]
}

func main() {
	const many = 100_000
	const repeats = 500_000
	keys := make([]string, many)
	for i := range keys {
		keys[i] = fmt.Sprintf("default/foo-%d", i)
	}
	key := keys[0]
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)
	results := map[string]float64{
		"add+get+done": median(repeats, func() {
			queue := workqueue.NewTyped[string]()
			for i := 0; i < repeats; i++ {
				queue.Add(key)
				taken, _ := queue.Get()
				queue.Done(taken)
			}
		}),
		"add 100,000 then drain": median(many, func() {
			queue := workqueue.NewTyped[string]()
			for _, each := range keys {
				queue.Add(each)
			}
			for queue.Len() > 0 {
				taken, _ := queue.Get()
				queue.Done(taken)
			}
		}),
		"duplicate add": median(repeats, func() {
			queue := workqueue.NewTyped[string]()
			for i := 0; i < repeats; i++ {
				queue.Add(key)
			}
		}),
		"addAfter of 100,000 keys": median(many, func() {
			queue := workqueue.NewTypedDelayingQueue[string]()
			for _, each := range keys {
				queue.AddAfter(each, time.Hour)
			}
			queue.ShutDown()
		}),
		"limiter when+forget": median(repeats, func() {
			for i := 0; i < repeats; i++ {
				limiter.When(key)
				limiter.Forget(key)
			}
		}),
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
