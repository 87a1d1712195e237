# ===- detection.py - Exported models that find objects ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Models that find objects; most have results whose sizes depend on the data."""

import torch
import torch.nn.functional as F
from rows import DYNAMO, IMAGE, IMAGES, SCRIPT, Row, image, integers, normal
from torch import nn
from vision import small_mobilenet, small_resnet

ONE_IMAGE = {"image": {2: "height", 3: "width"}}
IMAGES = [{"height": 96, "width": 128}, {"height": 128, "width": 96}, {"height": 120, "width": 150}]


def spread(head, factor):
    """Random heads say nearly the same everywhere; larger weights make them choose."""
    for parameter in head.parameters():
        parameter.data = torch.randn_like(parameter) * factor
    return head


class Detector(nn.Module):
    """A detector of torchvision for one image: boxes, scores and labels."""

    def __init__(self, model, names=("boxes", "scores", "labels")):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, x):
        # Training targets and warnings about degenerate boxes are of no use here.
        found = self.model([x[0]])
        found = found[1][0] if isinstance(found, tuple) else found[0]
        return tuple(found[name] for name in self.names)


def pyramid():
    from torchvision.models.detection.backbone_utils import BackboneWithFPN

    backbone = small_mobilenet()
    layers = {"3": "0", "8": "1", "12": "2"}
    return BackboneWithFPN(backbone.features, layers, [16, 24, 288], 32)


def anchors_of(levels):
    from torchvision.models.detection.anchor_utils import AnchorGenerator

    return AnchorGenerator(tuple((16 * 2**i, 24 * 2**i) for i in range(levels)), ((0.5, 1.0, 2.0),) * levels)


def retinanet():
    from torchvision.models.detection import RetinaNet

    model = RetinaNet(pyramid(), 10, min_size=96, max_size=160, anchor_generator=anchors_of(4), score_thresh=0.3, topk_candidates=50)
    spread(model.head.classification_head.cls_logits, 0.2)
    return Detector(model)


def fcos():
    from torchvision.models.detection import FCOS
    from torchvision.models.detection.anchor_utils import AnchorGenerator

    anchors = AnchorGenerator(((8,), (16,), (32,), (64,)), ((1.0,),) * 4)
    model = FCOS(pyramid(), 10, min_size=96, max_size=160, anchor_generator=anchors, score_thresh=0.2, topk_candidates=50)
    spread(model.head.classification_head.cls_logits, 0.2)
    return Detector(model)


def faster_rcnn(mask=False):
    from torchvision.models.detection import FasterRCNN, MaskRCNN

    more = {
        "min_size": 96,
        "max_size": 160,
        "rpn_anchor_generator": anchors_of(4),
        "rpn_post_nms_top_n_test": 40,
        "rpn_pre_nms_top_n_test": 100,
        "box_score_thresh": 0.1,
        "box_detections_per_img": 20,
    }
    model = (MaskRCNN if mask else FasterRCNN)(pyramid(), 6, **more)
    spread(model.rpn.head.cls_logits, 0.5)
    spread(model.roi_heads.box_predictor.cls_score, 0.5)
    return Detector(model, ("boxes", "scores", "labels", "masks") if mask else ("boxes", "scores", "labels"))


def ssd_lite():
    from torchvision.models.detection import ssdlite320_mobilenet_v3_large

    model = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=6, score_thresh=0.6, topk_candidates=12)
    spread(model.head.classification_head.module_list, 0.2)
    return Detector(model)


def conv(i, o, k=1, s=1, g=1):
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(o, eps=1e-3), nn.SiLU())


class Split(nn.Module):
    """A stage of a YOLO: half of the channels go on, and all that was on the way is joined."""

    def __init__(self, i, o, shortcut=True):
        super().__init__()
        self.first, self.last, self.shortcut = conv(i, o), conv(o * 3 // 2, o), shortcut
        self.one, self.two = conv(o // 2, o // 2, 3), conv(o // 2, o // 2, 3)

    def forward(self, x):
        a, b = self.first(x).chunk(2, 1)
        c = self.two(self.one(b))
        return self.last(torch.cat([a, b, b + c if self.shortcut else c], 1))


class Yolo(nn.Module):
    """Backbone, pyramid up and down, and a head of distributions over box sides; with `nms` the boxes that are left of one image."""

    def __init__(self, classes=8, nms=False):
        super().__init__()
        self.classes, self.nms, self.bins = classes, nms, 8
        self.stem = nn.Sequential(conv(3, 16, 3, 2), conv(16, 24, 3, 2), Split(24, 24))
        self.p3 = nn.Sequential(conv(24, 32, 3, 2), Split(32, 32))
        self.p4 = nn.Sequential(conv(32, 48, 3, 2), Split(48, 48))
        self.p5 = nn.Sequential(conv(48, 64, 3, 2), Split(64, 64))
        self.spp, self.after = conv(64, 32), conv(128, 64)
        self.up4, self.up3 = Split(64 + 48, 48, False), Split(48 + 32, 32, False)
        self.down4, self.join4 = conv(32, 32, 3, 2), Split(32 + 48, 48, False)
        self.down5, self.join5 = conv(48, 48, 3, 2), Split(48 + 64, 64, False)
        self.boxes = nn.ModuleList(nn.Sequential(conv(c, 32, 3), nn.Conv2d(32, 4 * self.bins, 1)) for c in (32, 48, 64))
        self.scores = nn.ModuleList(
            nn.Sequential(conv(c, c, 3, g=c), conv(c, 32), spread(nn.Conv2d(32, classes, 1), 2.0)) for c in (32, 48, 64)
        )

    def pool(self, x):
        x = self.spp(x)
        a = F.max_pool2d(x, 5, 1, 2)
        b = F.max_pool2d(a, 5, 1, 2)
        return self.after(torch.cat([x, a, b, F.max_pool2d(b, 5, 1, 2)], 1))

    def features(self, x):
        p3 = self.p3(self.stem(x))
        p4 = self.p4(p3)
        p5 = self.pool(self.p5(p4))
        up4 = self.up4(torch.cat([F.interpolate(p5, scale_factor=2.0, mode="nearest"), p4], 1))
        up3 = self.up3(torch.cat([F.interpolate(up4, scale_factor=2.0, mode="nearest"), p3], 1))
        down4 = self.join4(torch.cat([self.down4(up3), up4], 1))
        return up3, down4, self.join5(torch.cat([self.down5(down4), p5], 1))

    def decode(self, levels):
        places, strides, sides, scores = [], [], [], []
        for level, stride, box, score in zip(levels, (8, 16, 32), self.boxes, self.scores, strict=True):
            h, w = level.shape[2:]
            y, x = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
            places.append(torch.stack([x, y], -1).view(-1, 2))
            strides.append(torch.full((h * w, 1), float(stride)))
            sides.append(box(level).flatten(2))
            scores.append(score(level).flatten(2))
        places, strides = torch.cat(places).T, torch.cat(strides).T
        sides = torch.cat(sides, 2)
        spread_out = sides.view(sides.shape[0], 4, self.bins, -1).softmax(2)
        distance = (spread_out * torch.arange(self.bins, dtype=torch.float)[None, None, :, None]).sum(2)
        low, high = places - distance[:, :2], places + distance[:, 2:]
        return torch.cat([(low + high) / 2 * strides, (high - low) * strides], 1), torch.cat(scores, 2).sigmoid()

    def forward(self, x):
        boxes, scores = self.decode(self.features(x))
        if not self.nms:
            return torch.cat([boxes, scores], 1)
        from torchvision.ops import box_convert, nms

        corners, (best, label) = box_convert(boxes[0].T, "cxcywh", "xyxy"), scores[0].max(0)
        keep = best > 0.6
        corners, best, label = corners[keep], best[keep], label[keep]
        chosen = nms(corners + label[:, None] * 4096.0, best, 0.5)
        return corners[chosen], best[chosen], label[chosen]


class Detr(nn.Module):
    """A convolutional backbone, positions from sines, and a transformer with learned queries."""

    def __init__(self, width=64, queries=12):
        super().__init__()
        net = small_resnet()
        self.backbone = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool, net.layer1, net.layer2)
        self.project = nn.Conv2d(128, width, 1)
        self.transformer = nn.Transformer(width, 4, 1, 2, 128, batch_first=True)
        self.queries = nn.Parameter(torch.randn(queries, width))
        self.classes = nn.Linear(width, 11)
        self.boxes = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4))
        self.width = width

    def positions(self, x):
        ones = torch.ones_like(x[:, 0])
        y, x = ones.cumsum(1), ones.cumsum(2)
        y, x = y / (y[:, -1:] + 1e-6) * 6.2832, x / (x[:, :, -1:] + 1e-6) * 6.2832
        rates = 10000 ** (2 * torch.div(torch.arange(self.width // 2), 2, rounding_mode="floor") / (self.width // 2))
        y, x = y[..., None] / rates, x[..., None] / rates
        y = torch.stack([y[..., 0::2].sin(), y[..., 1::2].cos()], 4).flatten(3)
        x = torch.stack([x[..., 0::2].sin(), x[..., 1::2].cos()], 4).flatten(3)
        return torch.cat([y, x], 3).flatten(1, 2)

    def forward(self, x):
        y = self.project(self.backbone(x))
        y = y.flatten(2).transpose(1, 2) + self.positions(y)
        y = self.transformer(y, self.queries[None].expand(x.shape[0], -1, -1))
        return self.classes(y), self.boxes(y).sigmoid()


class MaskDecoder(nn.Module):
    """The decoder of a promptable segmenter: points as Fourier features, attention both ways, masks by a product."""

    def __init__(self, width=64):
        super().__init__()
        self.gauss = nn.Parameter(torch.randn(2, width // 2))
        self.labels, self.tokens = nn.Embedding(3, width), nn.Embedding(4, width)
        self.to_image, self.to_tokens = (nn.MultiheadAttention(width, 4, batch_first=True) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(width, 16, 2, 2), nn.GroupNorm(1, 16), nn.GELU(), nn.ConvTranspose2d(16, 8, 2, 2), nn.GELU()
        )
        self.mlp = nn.Linear(width, 8)

    def forward(self, features, points, labels):
        b, c, h, w = features.shape
        angles = 2 * torch.pi * ((2 * points - 1) @ self.gauss)
        prompt = torch.cat([angles.sin(), angles.cos()], -1)
        prompt = torch.where((labels == -1)[..., None], self.labels.weight[2], prompt + self.labels(labels.clamp(min=0)))
        tokens = torch.cat([self.tokens.weight[None].expand(b, -1, -1), prompt], 1)
        pixels = features.flatten(2).transpose(1, 2)
        tokens = self.norm(tokens + self.to_tokens(tokens, pixels, pixels, need_weights=False)[0])
        pixels = pixels + self.to_image(pixels, tokens, tokens, need_weights=False)[0]
        large = self.up(pixels.transpose(1, 2).reshape(b, c, h, w))
        masks = (self.mlp(tokens[:, :4]) @ large.flatten(2)).view(b, 4, large.shape[2], large.shape[3])
        return F.interpolate(masks, scale_factor=4, mode="bilinear", align_corners=False), (masks > 0).flatten(2).float().mean(-1)


def prompts(batch, height, width, points):
    return {
        "features": normal(batch, 64, height, width),
        "points": torch.rand(batch, points, 2),
        "labels": integers(2, batch, points, low=-1),
    }


# The dynamo exporter does not get through the detectors of torchvision; the TorchScript one takes the sizes inside
# torch's own attention for constants.
ROWS = [
    Row("yolo", Yolo, image, IMAGES, IMAGE, opset=13),
    Row("yolo-nms", lambda: Yolo(nms=True), image, [{"height": 64, "width": 96}, {"height": 128, "width": 64}], ONE_IMAGE, opset=13),
    Row("ssd-lite", ssd_lite, image, IMAGES, ONE_IMAGE, opset=13, exporters=(SCRIPT,)),
    Row("retinanet", retinanet, image, IMAGES, ONE_IMAGE, opset=13, exporters=(SCRIPT,)),
    Row("fcos", fcos, image, IMAGES, ONE_IMAGE, opset=14, exporters=(SCRIPT,)),
    Row("faster-rcnn", faster_rcnn, image, IMAGES, ONE_IMAGE, opset=16, exporters=(SCRIPT,)),
    Row("mask-rcnn", lambda: faster_rcnn(mask=True), image, IMAGES, ONE_IMAGE, opset=13, exporters=(SCRIPT,)),
    Row("detr", Detr, image, IMAGES, IMAGE, exporters=(DYNAMO,)),
    Row(
        "mask-decoder",
        MaskDecoder,
        prompts,
        [{"batch": 2, "height": 8, "width": 12, "points": 3}, {"batch": 1, "height": 16, "width": 8, "points": 7}],
        {"features": {0: "batch", 2: "height", 3: "width"}, "points": {0: "batch", 1: "points"}, "labels": {0: "batch", 1: "points"}},
        exporters=(DYNAMO,),
    ),
]
