// The same work as bench/client/ours.ts, done by client-go. Arguments: "protobuf" (its default) or "json", a
// kubeconfig. Reads commands from standard input, one a line ("get <in flight> <count>", "list"; of other objects than
// the one named bench: "create <in flight> <count> <names>", "get <in flight> <count> <names>"), and answers each with
// one line of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func usage() syscall.Rusage {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage
}

// inParallel calls once with each number below count, inFlight of them at a time.
func inParallel(inFlight, count int64, once func(i int64)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range inFlight {
		all.Go(func() {
			for i := next.Add(1) - 1; i < count; i = next.Add(1) - 1 {
				once(i)
			}
		})
	}
	all.Wait()
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[len(os.Args)-1]))
	config.QPS = -1
	if os.Args[1] == "json" {
		config.ContentType = "application/json"
		config.AcceptContentTypes = "application/json"
	}
	client := kubernetes.NewForConfigOrDie(config)
	ctx := context.Background()
	maps := client.CoreV1().ConfigMaps("default")
	data := map[string]string{"x": strings.Repeat("y", 850)}
	get := func(name string) { must(maps.Get(ctx, name, metav1.GetOptions{})) }
	create := func(name string) {
		labels := map[string]string{"app": fmt.Sprintf("a%d", len(name))}
		draft := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: data}
		must(maps.Create(ctx, draft, metav1.CreateOptions{}))
	}
	get("bench")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var inFlight, count int64
		var verb, names string
		before, start := usage(), time.Now()
		items := 0
		if n, _ := fmt.Sscan(lines.Text(), &verb, &inFlight, &count, &names); n >= 3 {
			inParallel(inFlight, count, func(i int64) {
				switch {
				case verb == "create":
					create(fmt.Sprintf("%s-%d", names, i))
				case names == "":
					get("bench")
				default:
					get(fmt.Sprintf("%s-%d", names, i%1000))
				}
			})
		} else {
			list := must(client.CoreV1().Pods("bench").List(ctx, metav1.ListOptions{}))
			items = len(list.Items)
		}
		elapsed, after := time.Since(start), usage()
		cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
		must(0, json.NewEncoder(os.Stdout).Encode(map[string]any{
			"ms":      float64(elapsed.Nanoseconds()) / 1e6,
			"cpuMs":   float64(cpu) / 1e6,
			"peakRss": float64(after.Maxrss) / 1024,
			"items":   items,
		}))
	}
}
