// The same work as bench/indexer.ts, done by client-go's indexer. Prints nanoseconds per operation as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

type item struct {
	metav1.ObjectMeta
	node string
}

const count = 100_000

func items(revision int) []*item {
	all := make([]*item, count)
	for i := range all {
		all[i] = &item{
			ObjectMeta: metav1.ObjectMeta{
				Name:            fmt.Sprintf("item-%d", i),
				Namespace:       fmt.Sprintf("ns-%d", i%100),
				ResourceVersion: fmt.Sprint(revision + i),
			},
			node: fmt.Sprintf("node-%d", i%1000),
		}
	}
	return all
}

var indexers = cache.Indexers{
	"namespace": func(object any) ([]string, error) { return []string{object.(*item).Namespace}, nil },
	"node":      func(object any) ([]string, error) { return []string{object.(*item).node}, nil },
}

func best(work func() int) float64 {
	shortest := math.Inf(1)
	for round := 0; round < 12; round++ {
		start := time.Now()
		operations := work()
		shortest = math.Min(shortest, float64(time.Since(start).Nanoseconds())/float64(operations))
	}
	return shortest
}

func main() {
	older, newer := items(0), items(count)
	fill := func() cache.Indexer {
		store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)
		for _, object := range older {
			_ = store.Add(object)
		}
		return store
	}
	full := fill()
	keys := full.ListKeys()
	made := make([]string, count)
	for i, object := range older {
		made[i] = object.Namespace + "/" + object.Name
	}
	turn, sink := 0, 0
	result := map[string]float64{
		"add with two indices": best(func() int { fill(); return count }),
		"update": best(func() int {
			turn++
			objects := older
			if turn%2 == 1 {
				objects = newer
			}
			for _, object := range objects {
				_ = full.Update(object)
			}
			return count
		}),
		"byIndex with 100 hits": best(func() int {
			for i := 0; i < 1000; i++ {
				found, _ := full.ByIndex("node", fmt.Sprintf("node-%d", i))
				sink += len(found)
			}
			return 1000
		}),
		"get by key": best(func() int {
			for _, key := range keys {
				if _, found, _ := full.GetByKey(key); found {
					sink++
				}
			}
			return count
		}),
		"get by a key made by the caller": best(func() int {
			for _, key := range made {
				if _, found, _ := full.GetByKey(key); found {
					sink++
				}
			}
			return count
		}),
	}
	if sink == 0 {
		panic("nothing was found")
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}
