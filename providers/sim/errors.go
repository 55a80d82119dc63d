package sim

import (
	"fmt"
	"net/http"
	"strconv"
)

// errorBody is an error in OpenAI's shape; a code of "" is null.
func errorBody(message, typ, code string) []byte {
	c := "null"
	if code != "" {
		c = string(quote(code))
	}
	return fmt.Appendf(nil, `{"error":{"message":%s,"type":%s,"param":null,"code":%s}}`+"\n", quote(message), quote(typ), c)
}

// errorInside is the error that some gateways put into a 200: its code is a number.
func errorInside(code int) []byte {
	return fmt.Appendf(nil, `{"error":{"message":"the simulator was told to fail","type":%s,"param":null,"code":%d}}`+"\n",
		quote(errorType(code)), code)
}

// errorType and errorCode are what OpenAI says with a status
// (https://platform.openai.com/docs/guides/error-codes).
func errorType(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "requests"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

func errorCode(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "invalid_api_key"
	case http.StatusNotFound:
		return "model_not_found"
	case http.StatusTooManyRequests:
		return "rate_limit_exceeded"
	}
	return ""
}

func badRequest(message, code string) *reply {
	return &reply{status: http.StatusBadRequest, body: errorBody(message, "invalid_request_error", code)}
}

func unauthorized() reply {
	return reply{status: http.StatusUnauthorized,
		body: errorBody("incorrect API key provided", "invalid_request_error", "invalid_api_key")}
}

func unknownModel(model string) *reply {
	return &reply{status: http.StatusNotFound, body: errorBody(
		fmt.Sprintf("the model %q does not exist or you do not have access to it", model),
		"invalid_request_error", "model_not_found")}
}

// cannotObey is a call whose fault its request rules out. Nothing ran.
func cannotObey(word string) *reply {
	return &reply{status: http.StatusInternalServerError, body: errorBody(
		"the simulator cannot do "+word+" here: "+errImpossible.Error(), "server_error", "fault_impossible")}
}

func modelsReply(models []string) reply {
	b := []byte(`{"object":"list","data":[`)
	for i, m := range models {
		b = append(append(comma(b, i), `{"id":`...), quote(m)...)
		b = append(b, `,"object":"model","created":0,"owned_by":"sim"}`...)
	}
	return reply{status: http.StatusOK, body: append(b, "]}\n"...)}
}

// htmlBody is the page of an edge proxy that stands before a provider.
func htmlBody(status int) []byte {
	title := strconv.Itoa(status) + " " + http.StatusText(status)
	return []byte("<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" + title +
		"</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n")
}
