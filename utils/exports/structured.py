# ===- structured.py - Exported models of tables, graphs and series ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Models of tables, graphs and time series."""

import torch
import torch.nn.functional as F
from rows import DYNAMO, Row, integers, normal
from torch import nn


class Recommender(nn.Module):
    """Sums of embeddings of bags of several lengths, and the products of all pairs of them."""

    def __init__(self, tables=3, width=16):
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(60, width, mode=mode) for mode in ("sum", "mean", "sum")[:tables])
        self.bottom = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, width), nn.ReLU())
        pairs = torch.tril_indices(tables + 1, tables + 1, -1)
        self.register_buffer("rows", pairs[0]), self.register_buffer("columns", pairs[1])
        self.top = nn.Sequential(nn.Linear(width + len(pairs[0]), 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())

    def forward(self, dense, values, offsets):
        x = self.bottom(dense)
        bags = [bag(values[i], offsets[i]) for i, bag in enumerate(self.bags)]
        stacked = torch.stack([x, *bags], 1)
        products = stacked @ stacked.transpose(1, 2)
        return self.top(torch.cat([x, products[:, self.rows, self.columns]], 1))


class FixedBags(nn.Module):
    """Bags of one length, with weights, as a matrix of identifiers."""

    def __init__(self):
        super().__init__()
        self.table, self.cross = nn.Embedding(80, 16), nn.Linear(16 * 4, 16 * 4)
        self.out = nn.Linear(16 * 4, 1)

    def forward(self, identifiers, weights):
        bags = (self.table(identifiers) * weights[..., None]).sum(2).flatten(1)
        return torch.sigmoid(self.out(bags * self.cross(bags) + bags))


def bags(batch, total):
    return {
        "dense": normal(batch, 13),
        "values": integers(60, 3, total),
        "offsets": torch.stack([torch.arange(batch) * (total // batch)] * 3),
    }


class MessagePassing(nn.Module):
    """Sums, maxima and means over the edges that end in a node, and a mean over the nodes of each graph."""

    def __init__(self, width=24):
        super().__init__()
        self.embed, self.message = nn.Linear(7, width), nn.Linear(2 * width + 4, width)
        self.update, self.out = nn.GRUCell(width, width), nn.Linear(3 * width, 5)

    def forward(self, nodes, edges, features, graph, graphs):
        x = F.relu(self.embed(nodes))
        source, target = edges[0], edges[1]
        for _ in range(2):
            message = F.relu(self.message(torch.cat([x[source], x[target], features], 1)))
            total = torch.zeros_like(x).index_add(0, target, message)
            x = self.update(total, x)
        index = target[:, None].expand(-1, x.shape[1])
        highest = torch.zeros_like(x).scatter_reduce(0, index, x[source], "amax", include_self=True)
        mean = torch.zeros_like(x).scatter_add(0, index, x[source])
        count = torch.zeros(x.shape[0]).scatter_add(0, target, torch.ones(target.shape[0])).clamp(min=1)
        joined = torch.cat([x, highest, mean / count[:, None]], 1)
        return torch.zeros(graphs.shape[0], joined.shape[1]).index_add(0, graph, joined), self.out(joined)


class Attention(nn.Module):
    """Attention over the edges of a graph: a softmax over those that end in one node."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.project, self.width, self.heads = nn.Linear(7, heads * width, bias=False), width, heads
        self.source, self.target = nn.Parameter(torch.randn(1, heads, width)), nn.Parameter(torch.randn(1, heads, width))

    def forward(self, nodes, edges):
        x = self.project(nodes).view(-1, self.heads, self.width)
        source, target = edges
        score = F.leaky_relu((x * self.source).sum(-1)[source] + (x * self.target).sum(-1)[target], 0.2)
        index = target[:, None].expand_as(score)
        highest = torch.full((x.shape[0], self.heads), -1e9).scatter_reduce(0, index, score, "amax")
        weight = (score - highest[target]).exp()
        total = torch.zeros(x.shape[0], self.heads).scatter_add(0, index, weight)
        weight = weight / (total[target] + 1e-16)
        result = torch.zeros_like(x).index_put((target,), x[source] * weight[..., None], accumulate=True)
        return F.elu(result.flatten(1))


def graph(nodes, edges, graphs=2):
    return {
        "nodes": normal(nodes, 7),
        "edges": integers(nodes, 2, edges),
        "features": normal(edges, 4),
        "graph": torch.arange(nodes) * graphs // nodes,
        "graphs": torch.zeros(graphs),
    }


def plain_graph(nodes, edges):
    return {"nodes": normal(nodes, 7), "edges": integers(nodes, 2, edges)}


class Masked(nn.Module):
    """Rows chosen by a condition are worked on and put back; what is unusual is counted."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        positive = x.sum(-1) > 0
        y = self.two(x)
        y = y.index_put((positive,), self.one(x[positive]))
        best, where = y.topk(3, -1)
        return y, best.cumsum(-1), where, torch.nonzero(positive)


class Convolutional(nn.Module):
    """Dilated causal convolutions over time, with gates."""

    def __init__(self, width=24):
        super().__init__()
        self.first = nn.Conv1d(5, width, 1)
        self.layers = nn.ModuleList(nn.Conv1d(width, 2 * width, 3, dilation=2**i) for i in range(4))
        self.mix, self.out = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(4)), nn.Linear(width, 3)

    def forward(self, x):
        y, total = self.first(x.transpose(1, 2)), 0
        for i, (layer, mix) in enumerate(zip(self.layers, self.mix, strict=True)):
            a, b = layer(F.pad(y, (2 ** (i + 1), 0))).chunk(2, 1)
            gated = mix(a.tanh() * b.sigmoid())
            y, total = y + gated, total + gated
        return self.out(F.instance_norm(total).mean(-1))


class Spectral(nn.Module):
    """A series normalised by its own moments, cut into patches for a transformer, and scaled back."""

    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, 4, 64, batch_first=True, norm_first=True, activation="gelu"), 2, enable_nested_tensor=False
        )
        self.out = nn.Linear(width, 4)

    def forward(self, x):
        mean, deviation = x.mean(1, keepdim=True), torch.sqrt(x.var(1, keepdim=True, unbiased=False) + 1e-5)
        y = ((x - mean) / deviation).transpose(1, 2)
        patches = F.pad(y, (0, 4), mode="replicate").unfold(-1, 8, 4)
        b, channels, count, _ = patches.shape
        y = self.layers(self.embed(patches.reshape(b * channels, count, 8))).mean(1).reshape(b, channels, -1)
        return self.out(y).transpose(1, 2) * deviation + mean


class Mlp(nn.Module):
    """Columns of numbers and of categories, as tables are looked at."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(20, 4) for _ in range(3))
        self.layers = nn.Sequential(
            nn.BatchNorm1d(18), nn.Linear(18, 64), nn.SELU(), nn.BatchNorm1d(64), nn.Linear(64, 32), nn.Mish(), nn.Linear(32, 2)
        )

    def forward(self, numbers, categories):
        x = torch.cat([numbers, *(table(categories[:, i]) for i, table in enumerate(self.tables))], 1)
        return self.layers(x).softmax(-1)


GRAPH = {"nodes": {0: "nodes"}, "edges": {1: "edges"}, "features": {0: "edges"}, "graph": {0: "nodes"}, "graphs": {0: "graphs"}}
GRAPHS = [{"nodes": 20, "edges": 70}, {"nodes": 9, "edges": 12, "graphs": 3}, {"nodes": 150, "edges": 1000, "graphs": 5}]
SERIES = [{"batch": 2, "length": 32}, {"batch": 1, "length": 60}, {"batch": 5, "length": 24}]

ROWS = [
    Row(
        "dlrm",
        Recommender,
        bags,
        [{"batch": 4, "total": 20}, {"batch": 7, "total": 35}, {"batch": 3, "total": 17}],
        {"dense": {0: "batch"}, "values": {1: "total"}, "offsets": {1: "batch"}},
        opset=13,
    ),
    Row(
        "fixed-bags",
        FixedBags,
        lambda batch, length: {"identifiers": integers(80, batch, 4, length), "weights": normal(batch, 4, length)},
        SERIES,
        {"identifiers": {0: "batch", 2: "length"}, "weights": {0: "batch", 2: "length"}},
        opset=13,
    ),
    Row("graph-network", MessagePassing, graph, GRAPHS, GRAPH, opset=18),
    Row(
        "graph-attention",
        Attention,
        plain_graph,
        [{"nodes": 12, "edges": 40}, {"nodes": 5, "edges": 7}, {"nodes": 200, "edges": 900}],
        {"nodes": {0: "nodes"}, "edges": {1: "edges"}},
        opset=18,
    ),
    Row(
        "masked-rows", Masked, lambda rows: {"x": normal(rows, 8)}, [{"rows": 10}, {"rows": 3}, {"rows": 50}], {"x": {0: "rows"}}, opset=13
    ),
    Row(
        "time-convolutions",
        Convolutional,
        lambda batch, length: {"x": normal(batch, length, 5)},
        SERIES,
        {"x": {0: "batch", 1: "length"}},
        opset=14,
    ),
    Row(
        "time-patches",
        Spectral,
        lambda batch, length: {"x": normal(batch, length, 3)},
        SERIES,
        {"x": {0: "batch", 1: "length"}},
        exporters=(DYNAMO,),
    ),
    Row(
        "table",
        Mlp,
        lambda batch: {"numbers": normal(batch, 6), "categories": integers(20, batch, 3)},
        [{"batch": 16}, {"batch": 1}, {"batch": 300}],
        {"numbers": {0: "batch"}, "categories": {0: "batch"}},
        opset=13,
    ),
]
