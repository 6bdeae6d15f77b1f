// Follows a server with client-go's shared informers, everything at its defaults, and says in lines of JSON what it asks and what it sees.
// Argument: a kubeconfig. Ends when its standard input does.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var printing sync.Mutex

func say(line map[string]any) {
	printing.Lock()
	defer printing.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		panic(err)
	}
}

type spoken struct{ next http.RoundTripper }

func (s spoken) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := s.next.RoundTrip(request)
	if err == nil {
		query := request.URL.Query()
		say(map[string]any{
			"asked": request.URL.Path, "watch": query.Get("watch") != "", "streamed": query.Get("sendInitialEvents") == "true",
			"status": answer.StatusCode, "type": answer.Header.Get("Content-Type"), "protocol": answer.Proto,
		})
	}
	return answer, err
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		panic(err)
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return spoken{next} })
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 10*time.Minute)
	watched := map[string]cache.SharedIndexInformer{
		"Pod":           factory.Core().V1().Pods().Informer(),
		"ConfigMap":     factory.Core().V1().ConfigMaps().Informer(),
		"Service":       factory.Core().V1().Services().Informer(),
		"Namespace":     factory.Core().V1().Namespaces().Informer(),
		"Deployment":    factory.Apps().V1().Deployments().Informer(),
		"Lease":         factory.Coordination().V1().Leases().Informer(),
		"EndpointSlice": factory.Discovery().V1().EndpointSlices().Informer(),
	}
	synced := []cache.InformerSynced{}
	for kind, informer := range watched {
		see := func(event string, object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			meta := object.(metav1.Object)
			say(map[string]any{"kind": kind, "event": event, "name": meta.GetNamespace() + "/" + meta.GetName(), "labels": meta.GetLabels()})
		}
		registration, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(object any, initial bool) {
				if initial {
					see("initial", object)
				} else {
					see("add", object)
				}
			},
			UpdateFunc: func(_, object any) { see("update", object) },
			DeleteFunc: func(object any) { see("delete", object) },
		})
		if err != nil {
			panic(err)
		}
		synced = append(synced, registration.HasSynced)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	cache.WaitForCacheSync(stop, synced...)
	counts := map[string]int{}
	for kind, informer := range watched {
		counts[kind] = len(informer.GetStore().ListKeys())
	}
	say(map[string]any{"synced": counts})
	_, _ = io.Copy(io.Discard, os.Stdin)
	close(stop)
	factory.Shutdown()
}
