// Shows the description of the API. Requests that are tried here are made by the session of whoever is signed in.
"use strict";

const page = document.getElementById("api");
window.ui = SwaggerUIBundle({
    url: page.dataset.schema,
    domNode: page,
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    requestInterceptor: (request) => {
        if (request.method !== "GET" && !request.headers.Authorization) {
            request.headers["X-CSRFToken"] = page.dataset.csrf;
        }
        return request;
    },
});
