// The same work as bench/informer/ours.ts, done by client-go. Arguments: server, objects, events, mode
// ("json", "protobuf" or "dynamic"). Prints one line of JSON.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func heap() uint64 {
	for i := 0; i < 3; i++ {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func cpuMicros() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1000
}

func rss() float64 {
	text := string(must(os.ReadFile("/proc/self/statm")))
	return must(strconv.ParseFloat(strings.Fields(text)[1], 64)) * float64(os.Getpagesize()) / 1024 / 1024
}

// serveProtobuf turns the canned server's answers into protobuf once, before anything is measured.
func serveProtobuf(upstream string, events int) {
	codec := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	frame := func(kind string, object apiruntime.Object) []byte {
		object.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		var encoded bytes.Buffer
		if err := codec.Encode(object, &encoded); err != nil {
			panic(err)
		}
		event := metav1.WatchEvent{Type: kind, Object: apiruntime.RawExtension{Raw: encoded.Bytes()}}
		var outer bytes.Buffer
		raw := protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme)
		if err := raw.Encode(&event, &outer); err != nil {
			panic(err)
		}
		return append(binary.BigEndian.AppendUint32(nil, uint32(outer.Len())), outer.Bytes()...)
	}
	read := func(query string, count int, goOn bool) []byte {
		response := must(http.Get(upstream + "/api/v1/pods?watch=1&" + query))
		defer response.Body.Close()
		if goOn {
			must(http.Post(upstream+"/go", "", nil))
		}
		reader := bufio.NewReaderSize(response.Body, 1<<20)
		var all []byte
		for i := 0; i < count; i++ {
			line := must(reader.ReadBytes('\n'))
			var event struct {
				Type   string
				Object corev1.Pod
			}
			if err := json.Unmarshal(line, &event); err != nil {
				panic(err)
			}
			all = append(all, frame(event.Type, &event.Object)...)
		}
		return all
	}
	initial := read("sendInitialEvents=true", must(strconv.Atoi(os.Args[2]))+1, false)
	modified := read("resourceVersion=1", events, true)
	goOn := make(chan struct{})
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	handler := func(writer http.ResponseWriter, request *http.Request) {
		if request.Method == "POST" {
			close(goOn)
			return
		}
		if request.URL.Query().Get("sendInitialEvents") != "true" {
			writer.WriteHeader(404)
			return
		}
		writer.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch")
		writer.WriteHeader(200)
		send(writer, initial)
		<-goOn
		send(writer, modified)
		<-request.Context().Done()
	}
	panic(http.Serve(listener, http.HandlerFunc(handler)))
}

func send(writer http.ResponseWriter, body []byte) {
	for len(body) > 0 {
		n := min(len(body), 256*1024)
		must(writer.Write(body[:n]))
		writer.(http.Flusher).Flush()
		body = body[n:]
	}
}

func main() {
	server, objects, events := os.Args[1], must(strconv.Atoi(os.Args[2])), must(strconv.Atoi(os.Args[3]))
	mode := os.Args[4]
	if mode == "serve-protobuf" {
		serveProtobuf(server, events)
	}
	config := &rest.Config{Host: server, QPS: -1}
	if mode == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	}
	var informer cache.SharedIndexInformer
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if mode == "dynamic" {
		factory := dynamicinformer.NewDynamicSharedInformerFactory(must(dynamic.NewForConfig(config)), 0)
		informer = factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer()
	} else {
		factory := informers.NewSharedInformerFactory(must(kubernetes.NewForConfig(config)), 0)
		informer = factory.Core().V1().Pods().Informer()
	}
	var updates, sink atomic.Int64
	done := make(chan struct{})
	registration := must(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { sink.Add(int64(len(object.(metav1.Object).GetName()))) },
		UpdateFunc: func(_, object any) {
			sink.Add(int64(len(object.(metav1.Object).GetName())))
			if updates.Add(1) == int64(events) {
				close(done)
			}
		},
	}))
	before := heap()
	cpuBefore, began := cpuMicros(), time.Now()
	go informer.Run(ctx.Done())
	for !registration.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	sync, syncCPU := time.Since(began), cpuMicros()-cpuBefore
	resident := rss()
	perObject := float64(heap()-before) / float64(objects)
	cpuStart, start := cpuMicros(), time.Now()
	response := must(http.Post(server+"/go", "", nil))
	must(io.Copy(io.Discard, response.Body))
	<-done
	took, tookCPU := time.Since(start), cpuMicros()-cpuStart
	if len(informer.GetStore().ListKeys()) != objects {
		panic("objects are missing")
	}
	must(os.Stdout.Write(must(json.Marshal(map[string]float64{
		"objectsPerSecond":   float64(objects) / sync.Seconds(),
		"eventsPerSecond":    float64(events) / took.Seconds(),
		"cpuMicrosPerObject": syncCPU / float64(objects),
		"cpuMicrosPerEvent":  tookCPU / float64(events),
		"bytesPerObject":     perObject,
		"rssMegabytes":       resident,
	}))))
}
