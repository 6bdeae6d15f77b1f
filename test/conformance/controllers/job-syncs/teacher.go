// What the real Job controller does with one Job and its pods in one sync: takes cases, one a line, gives what was written.
//
// It is no part of any build here. To build it: copy pkg/controller/job of the module k8s.io/kubernetes v1.36.3 (without its
// tests) into the folder job of a module of its own, which requires that version and k8s.io/* v0.36.3, put this file beside it,
// and call HarnessMain from a main package.
//
//go:build ignore

package job

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	core "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller"
	testingclock "k8s.io/utils/clock/testing"
)

type hCase struct {
	Name        string          `json:"name"`
	Now         time.Time       `json:"now"`
	Job         json.RawMessage `json:"job"`
	Pods        []*v1.Pod       `json:"pods"`
	Fail        []string        `json:"fail"`
	Unsatisfied bool            `json:"unsatisfied"`
}

type hResult struct {
	Name    string            `json:"name"`
	Error   bool              `json:"error"`
	Writes  []json.RawMessage `json:"writes"`
	Creates []string          `json:"creates"`
	Deletes []string          `json:"deletes"`
	Patches []string          `json:"patches"`
	Events  []string          `json:"events"`
	Later   []int64           `json:"later"`
}

type hQueue struct {
	workqueue.TypedRateLimitingInterface[string]
	later []int64
}

func (q *hQueue) AddAfter(item string, d time.Duration) { q.later = append(q.later, d.Milliseconds()) }

func HarnessMain() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var c hCase
			if err := json.Unmarshal(line, &c); err != nil {
				panic(err)
			}
			_ = out.Encode(runCase(c))
		}
		if err == io.EOF {
			return
		}
	}
}

func runCase(c hCase) hResult {
	ctx := context.Background()
	var job batch.Job
	if err := json.Unmarshal(c.Job, &job); err != nil {
		panic(err)
	}
	objects := []runtime.Object{&job}
	for _, p := range c.Pods {
		objects = append(objects, p)
	}
	client := fake.NewSimpleClientset(objects...)
	failing := map[string]bool{}
	for _, f := range c.Fail {
		failing[f] = true
	}
	made := 0
	client.PrependReactor("create", "pods", func(a core.Action) (bool, runtime.Object, error) {
		pod := a.(core.CreateAction).GetObject().(*v1.Pod).DeepCopy()
		made++
		if failing["create"] || failing[fmt.Sprintf("create %d", made)] {
			return true, nil, fmt.Errorf("no")
		}
		pod.Name = pod.GenerateName + "x"
		return true, pod, nil
	})
	for _, verb := range []string{"delete", "patch"} {
		client.PrependReactor(verb, "pods", func(a core.Action) (bool, runtime.Object, error) {
			name := ""
			if d, ok := a.(core.DeleteAction); ok {
				name = d.GetName()
			} else {
				name = a.(core.PatchAction).GetName()
			}
			if failing[a.GetVerb()+" "+name] {
				return true, nil, fmt.Errorf("no")
			}
			return false, nil, nil
		})
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	clock := testingclock.NewFakeClock(c.Now)
	jm, err := newControllerWithClock(ctx, client, clock, factory.Core().V1().Pods(), factory.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		panic(err)
	}
	recorder := record.NewFakeRecorder(10000)
	jm.recorder = recorder
	jm.podControl = controller.RealPodControl{KubeClient: client, Recorder: recorder}
	queue := &hQueue{TypedRateLimitingInterface: jm.queue}
	jm.queue = queue
	_ = factory.Batch().V1().Jobs().Informer().GetIndexer().Add(&job)
	for _, p := range c.Pods {
		_ = factory.Core().V1().Pods().Informer().GetIndexer().Add(p)
	}
	key := job.Namespace + "/" + job.Name
	client.ClearActions()
	syncErr := jm.syncJob(ctx, key)
	result := hResult{Name: c.Name, Error: syncErr != nil, Later: queue.later}
	for _, action := range client.Actions() {
		switch a := action.(type) {
		case core.CreateAction:
			pod, ok := a.GetObject().(*v1.Pod)
			if action.GetVerb() == "create" && ok {
				notes := []string{}
				for k, v := range pod.Annotations {
					notes = append(notes, k+"="+v)
				}
				sort.Strings(notes)
				result.Creates = append(result.Creates, pod.GenerateName+" "+pod.Spec.Hostname+" "+strings.Join(notes, ","))
			}
			if action.GetVerb() == "update" {
				raw, _ := json.Marshal(a.GetObject().(*batch.Job).Status)
				result.Writes = append(result.Writes, raw)
			}
		case core.DeleteAction:
			result.Deletes = append(result.Deletes, a.GetName())
		case core.PatchAction:
			result.Patches = append(result.Patches, a.GetName())
		}
	}
	sort.Strings(result.Creates)
	sort.Strings(result.Deletes)
	sort.Strings(result.Patches)
	close(recorder.Events)
	for e := range recorder.Events {
		result.Events = append(result.Events, e)
	}
	sort.Strings(result.Events)
	return result
}
