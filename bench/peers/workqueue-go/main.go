// The queue operations of bench/workqueue.ts on client-go: prints {"operation": nanoseconds} of the best of some rounds.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"k8s.io/client-go/util/workqueue"
)

const rounds = 12

func best(operations int, work func()) float64 {
	shortest := math.Inf(1)
	for i := 0; i < rounds; i++ {
		start := time.Now()
		work()
		shortest = math.Min(shortest, float64(time.Since(start).Nanoseconds())/float64(operations))
	}
	return shortest
}

func main() {
	const many = 100_000
	const repeats = 100_000
	keys := make([]string, many)
	for i := range keys {
		keys[i] = fmt.Sprintf("default/foo-%d", i)
	}
	key := keys[0]
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)
	results := map[string]float64{
		"add+get+done": best(repeats, func() {
			queue := workqueue.NewTyped[string]()
			for i := 0; i < repeats; i++ {
				queue.Add(key)
				taken, _ := queue.Get()
				queue.Done(taken)
			}
		}),
		"add 100,000 then drain": best(many, func() {
			queue := workqueue.NewTyped[string]()
			for _, each := range keys {
				queue.Add(each)
			}
			for queue.Len() > 0 {
				taken, _ := queue.Get()
				queue.Done(taken)
			}
		}),
		"duplicate add": best(repeats, func() {
			queue := workqueue.NewTyped[string]()
			for i := 0; i < repeats; i++ {
				queue.Add(key)
			}
		}),
		"addAfter of 100,000 keys": best(many, func() {
			queue := workqueue.NewTypedDelayingQueue[string]()
			for _, each := range keys {
				queue.AddAfter(each, time.Hour)
			}
			queue.ShutDown()
		}),
		"limiter when+forget": best(repeats, func() {
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
