// HTTP/3 client for the interoperability tests. It runs the steps in its arguments and prints one line for each.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	quic "github.com/lucas-clemente/quic-go"
	"github.com/lucas-clemente/quic-go/http3"
)

// Usage: client https://127.0.0.1:PORT METHOD:PATH[:BODY_BYTES][*CONCURRENT_REQUESTS][!TIMEOUT_MS]...
func main() {
	transport := &http3.RoundTripper{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		QuicConfig:      &quic.Config{MaxIdleTimeout: 20 * time.Second},
	}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, step := range os.Args[2:] {
		step, patience := number(step, "!", 15_000)
		step, times := number(step, "*", 1)
		lines := make([]string, times)
		var running sync.WaitGroup
		for i := range lines {
			running.Add(1)
			go func(i int) {
				defer running.Done()
				lines[i] = request(client, os.Args[1], step, time.Duration(patience)*time.Millisecond)
			}(i)
		}
		running.Wait()
		for _, line := range lines {
			if line != lines[0] {
				fmt.Println("responses differ:", line)
			}
		}
		fmt.Println(lines[0])
	}
	transport.Close()
}

func number(step string, mark string, otherwise int) (string, int) {
	rest, digits, found := strings.Cut(step, mark)
	if !found {
		return step, otherwise
	}
	value, err := strconv.Atoi(digits)
	if err != nil {
		panic(err)
	}
	return rest, value
}

func request(client *http.Client, origin string, step string, patience time.Duration) string {
	parts := strings.Split(step, ":")
	var content io.Reader
	if len(parts) > 2 {
		size, err := strconv.Atoi(parts[2])
		if err != nil {
			panic(err)
		}
		content = bytes.NewReader(bytes.Repeat([]byte{'x'}, size))
	}
	patient, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	message, err := http.NewRequestWithContext(patient, parts[0], origin+parts[1], content)
	if err != nil {
		panic(err)
	}
	response, err := client.Do(message)
	if err != nil {
		return describe(err)
	}
	defer response.Body.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, response.Body)
	line := fmt.Sprintf("%s %d %d %x", response.Proto, response.StatusCode, size, sum.Sum(nil)[:4])
	if err != nil {
		line += " " + describe(err)
	}
	return line
}

func describe(err error) string {
	var reset *quic.StreamError
	if errors.As(err, &reset) {
		return fmt.Sprintf("reset 0x%x", uint64(reset.ErrorCode))
	}
	var closed *quic.ApplicationError
	if errors.As(err, &closed) {
		return fmt.Sprintf("closed 0x%x", uint64(closed.ErrorCode))
	}
	return err.Error()
}
