//! The same work as bench/informer/ours.ts, done by kube-rs. Arguments: server, objects, events. Prints one line of
//! JSON.

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{reflector, watcher, watcher::Event, WatchStreamExt};
use kube::{Api, Client, Config, ResourceExt};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

type Failure = Box<dyn std::error::Error>;

/// Bytes that the program has allocated and not freed.
fn heap() -> u64 {
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as u64
}

fn cpu_micros() -> f64 {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let micros = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    micros(usage.ru_utime) + micros(usage.ru_stime)
}

fn rss_megabytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split(' ').nth(1).and_then(|field| field.parse().ok()).unwrap_or(0.0);
    pages * 4096.0 / 1024.0 / 1024.0
}

fn look(pod: &Pod) -> usize {
    pod.name_any().len() + pod.labels().get("app").map_or(0, String::len)
}

async fn release_events(server: &str) -> Result<(), Failure> {
    let host = server.trim_start_matches("http://");
    let mut socket = tokio::net::TcpStream::connect(host).await?;
    let request = format!("POST /go HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await?;
    socket.read_to_end(&mut Vec::new()).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, server, objects, events] = &arguments[..] else {
        return Err("usage: informer-rs SERVER OBJECTS EVENTS".into());
    };
    let (objects, events): (usize, usize) = (objects.parse()?, events.parse()?);
    let client = Client::try_from(Config::new(server.parse()?))?;
    let pods: Api<Pod> = Api::all(client);

    let before = heap();
    let cpu_before = cpu_micros();
    let began = Instant::now();
    let (store, writer) = reflector::store::<Pod>();
    let watched = watcher(pods, watcher::Config::default().streaming_lists()).modify(|pod| {
        // ours does not keep them either
        pod.managed_fields_mut().clear();
    });
    let mut changes = reflector::reflector(writer, watched).boxed();
    let mut seen = 0;
    loop {
        match changes.try_next().await?.ok_or("the watch ended")? {
            Event::InitApply(pod) => seen += look(&pod),
            Event::InitDone => break,
            _ => {}
        }
    }
    let sync = began.elapsed();
    let sync_cpu = cpu_micros() - cpu_before;
    let rss = rss_megabytes();
    if store.len() != objects {
        return Err(format!("{} of {objects} objects", store.len()).into());
    }
    let steady = heap().saturating_sub(before);

    let cpu_start = cpu_micros();
    let start = Instant::now();
    let mut elapsed = Duration::ZERO;
    if events > 0 {
        release_events(server).await?;
        let mut told = 0;
        while told < events {
            if let Event::Apply(pod) = changes.try_next().await?.ok_or("the watch ended")? {
                seen += look(&pod);
                told += 1;
            }
        }
        elapsed = start.elapsed();
    }
    let event_cpu = cpu_micros() - cpu_start;
    let per_event = |amount: f64| if events == 0 { 0.0 } else { amount / events as f64 };
    println!(
        "{}",
        serde_json::json!({
            "objectsPerSecond": objects as f64 / sync.as_secs_f64(),
            "eventsPerSecond": if events == 0 { 0.0 } else { events as f64 / elapsed.as_secs_f64() },
            "cpuMicrosPerObject": sync_cpu / objects as f64,
            "cpuMicrosPerEvent": per_event(event_cpu),
            "bytesPerObject": steady as f64 / objects as f64,
            "rssMegabytes": rss,
            "sink": seen,
        })
    );
    Ok(())
}
