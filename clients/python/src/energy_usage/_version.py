# Generated from the OpenAPI document by `npm run client`: do not edit. A test holds it to the document.
__version__ = "1.7.0"
