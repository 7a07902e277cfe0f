package cluster

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/formatgauge/formatgauge/fuzz"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestJob: the Job has two steps, of the same image, variables and folders. Unknown fields are
// errors; only those that the Job uses are known here.
func TestJob(t *testing.T) {
	type named struct{ Name, Value string }
	type container struct {
		Name, Image     string
		Args            []string
		Env             []named
		Resources       struct{ Requests, Limits map[string]string }
		SecurityContext struct {
			AllowPrivilegeEscalation bool                    `yaml:"allowPrivilegeEscalation"`
			Capabilities             struct{ Drop []string } `yaml:"capabilities"`
		} `yaml:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   named
		Spec       struct {
			CompletionMode           string `yaml:"completionMode"`
			Completions, Parallelism int
			BackoffLimitPerIndex     *int `yaml:"backoffLimitPerIndex"`
			Template                 struct {
				Spec struct {
					RestartPolicy   string         `yaml:"restartPolicy"`
					SecurityContext map[string]any `yaml:"securityContext"`
					InitContainers  []container    `yaml:"initContainers"`
					Containers      []container
					Volumes         []struct {
						Name                  string
						PersistentVolumeClaim map[string]string `yaml:"persistentVolumeClaim"`
						EmptyDir              map[string]string `yaml:"emptyDir"`
					}
				}
			}
		}
	}
	d := yaml.NewDecoder(bytes.NewBufferString(read(t, "job.yaml")))
	d.KnownFields(true)
	if err := d.Decode(&job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template.Spec
	if n := job.Spec.BackoffLimitPerIndex; n == nil || *n != 0 {
		t.Error("a finding of one pod must not end the others, nor be tried again: backoffLimitPerIndex: 0")
	}
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Spec.CompletionMode != "Indexed" ||
		pod.RestartPolicy != "Never" ||
		len(pod.InitContainers) != 1 || len(pod.Containers) != 1 {
		t.Fatalf("%+v", job)
	}
	fuzzes, merges := pod.InitContainers[0], pod.Containers[0]
	if !slices.Equal(fuzzes.Args, []string{"fuzz"}) || !slices.Equal(merges.Args, []string{"merge"}) ||
		!slices.Equal(fuzzes.Env, merges.Env) || !slices.Equal(fuzzes.VolumeMounts, merges.VolumeMounts) ||
		fuzzes.Image != merges.Image {
		t.Errorf("%+v, %+v", fuzzes, merges)
	}
	for _, v := range fuzzes.Env {
		if _, ok := fuzz.Find(v.Value); v.Name == "TARGET" && !ok {
			t.Errorf("no target %s", v.Value)
		}
		if !strings.Contains(read(t, "pod.sh"), "{"+v.Name+":") {
			t.Errorf("pod.sh does not use %s", v.Name)
		}
	}
	for i, v := range pod.Volumes {
		if v.Name != fuzzes.VolumeMounts[i].Name {
			t.Errorf("volume %s is mounted as %+v", v.Name, fuzzes.VolumeMounts[i])
		}
	}
}

var option = regexp.MustCompile(`(?m)^(?:; )?([a-z]+\.[a-z0-9-]+) = (\S+)$`)

// TestGoContinuousFuzz: the options are those that its documentation lists, and the package
// to fuzz has the targets.
func TestGoContinuousFuzz(t *testing.T) {
	known := map[string]bool{ // to whether it is required
		"project.workspace-path": false, "project.src-repo": true, "project.s3-bucket-name": true, "fuzz.crash-repo": true,
		"fuzz.pkgs-path":      true,
		"fuzz.sync-frequency": false, "fuzz.num-workers": false, "fuzz.corpus-minimize-interval": false,
		"fuzz.in-cluster": false, "fuzz.namespace": false,
	}
	text := read(t, "go-continuous-fuzz.conf")
	values := map[string]string{}
	for _, m := range option.FindAllStringSubmatch(text, -1) {
		if _, ok := known[m[1]]; !ok {
			t.Errorf("unknown option %s", m[1])
		}
		if !strings.HasPrefix(m[0], ";") {
			values[m[1]] = m[2]
		}
	}
	for name, required := range known {
		if required && values[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if !strings.Contains(read(t, "../../"+values["fuzz.pkgs-path"]+"/grouped_test.go"), "func Fuzz") {
		t.Errorf("%s has no targets", values["fuzz.pkgs-path"])
	}
}
