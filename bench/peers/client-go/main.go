// The same work as bench/client/ours.ts, done by client-go. Arguments: "protobuf" (its default) or "json", a kubeconfig. Reads commands from standard input, one a
// line ("get <in flight> <count>", "list"), and answers each with one line of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

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

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[len(os.Args)-1]))
	config.QPS = -1
	if os.Args[1] == "json" {
		config.ContentType = "application/json"
		config.AcceptContentTypes = "application/json"
	}
	client := kubernetes.NewForConfigOrDie(config)
	ctx := context.Background()
	get := func() {
		must(client.CoreV1().ConfigMaps("default").Get(ctx, "bench", metav1.GetOptions{}))
	}
	get()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var inFlight, count int
		before, start := usage(), time.Now()
		items := 0
		if n, _ := fmt.Sscanf(lines.Text(), "get %d %d", &inFlight, &count); n == 2 {
			left := int64(count)
			var all sync.WaitGroup
			for i := 0; i < inFlight; i++ {
				all.Add(1)
				go func() {
					defer all.Done()
					for atomic.AddInt64(&left, -1) >= 0 {
						get()
					}
				}()
			}
			all.Wait()
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
