// The same work as bench/indexer.ts, done by client-go's indexer. Prints nanoseconds per operation as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
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

func median(work func() int) float64 {
	var samples []float64
	for round := 0; round < 6; round++ {
		start := time.Now()
		operations := work()
		samples = append(samples, float64(time.Since(start).Nanoseconds())/float64(operations))
	}
	samples = samples[1:]
	sort.Float64s(samples)
	return samples[len(samples)/2]
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
		"add with two indices": median(func() int { fill(); return count }),
		"update": median(func() int {
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
		"byIndex with 100 hits": median(func() int {
			for i := 0; i < 1000; i++ {
				found, _ := full.ByIndex("node", fmt.Sprintf("node-%d", i))
				sink += len(found)
			}
			return 1000
		}),
		"get by key": median(func() int {
			for _, key := range keys {
				if _, found, _ := full.GetByKey(key); found {
					sink++
				}
			}
			return count
		}),
		"get by a key made by the caller": median(func() int {
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
