# ===- vision.py - Exported models that look at images ----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Models that look at images: classification, segmentation, embeddings, super resolution."""

import functools

import torch
import torch.nn.functional as F
import torchvision
from rows import BATCH, BATCHES, DYNAMO, IMAGE, IMAGES, Row, image
from torch import nn
from torchvision import models


def small_mobilenet(**more):
    from torchvision.models.mobilenetv3 import MobileNetV3, _mobilenet_v3_conf

    setting, last = _mobilenet_v3_conf("mobilenet_v3_small", width_mult=0.5)
    return MobileNetV3(setting, last, num_classes=50, **more)


def small_efficientnet():
    from torchvision.models.efficientnet import EfficientNet, MBConvConfig

    conf = functools.partial(MBConvConfig, width_mult=0.5, depth_mult=0.5)
    setting = [conf(1, 3, 1, 32, 16, 1), conf(6, 3, 2, 16, 24, 2), conf(6, 5, 2, 24, 40, 2), conf(6, 3, 2, 40, 80, 2)]
    return EfficientNet(setting, dropout=0.2, num_classes=50)


def small_efficientnet_v2():
    from torchvision.models.efficientnet import EfficientNet, FusedMBConvConfig, MBConvConfig

    setting = [FusedMBConvConfig(1, 3, 1, 16, 16, 1), FusedMBConvConfig(4, 3, 2, 16, 24, 1), MBConvConfig(4, 3, 2, 24, 48, 2)]
    return EfficientNet(setting, dropout=0.2, num_classes=50)


def small_convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt

    return ConvNeXt([CNBlockConfig(32, 64, 1), CNBlockConfig(64, 96, 1), CNBlockConfig(96, None, 2)], num_classes=50)


def small_vit():
    return models.VisionTransformer(image_size=64, patch_size=16, num_layers=2, num_heads=4, hidden_dim=64, mlp_dim=128, num_classes=50)


def small_swin():
    from torchvision.models.swin_transformer import SwinTransformer

    return SwinTransformer([4, 4], 32, [2, 2], [2, 4], [7, 7], num_classes=50)


def small_swin_v2():
    from torchvision.models.swin_transformer import PatchMergingV2, SwinTransformer, SwinTransformerBlockV2

    parts = {"block": SwinTransformerBlockV2, "downsample_layer": PatchMergingV2}
    return SwinTransformer([4, 4], 32, [2, 2], [2, 4], [4, 4], num_classes=50, **parts)


def small_resnet():
    from torchvision.models.resnet import BasicBlock, ResNet

    return ResNet(BasicBlock, [1, 1, 1, 1], num_classes=50)


class FirstOf(nn.Module):
    """A segmentation model, of whose results one is wanted."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


def deeplab():
    from torchvision.models._utils import IntermediateLayerGetter
    from torchvision.models.segmentation.deeplabv3 import DeepLabHead, DeepLabV3

    backbone = IntermediateLayerGetter(small_mobilenet(dilated=True).features, {"12": "out"})
    head = DeepLabHead(288, 10, (2, 4, 6))
    return FirstOf(DeepLabV3(backbone, head))


def lraspp():
    from torchvision.models.segmentation.lraspp import LRASPP

    backbone = small_mobilenet(dilated=True).features
    layers = torchvision.models._utils.IntermediateLayerGetter(backbone, {"3": "low", "12": "high"})
    return LRASPP(layers, 16, 288, 7, 32)


class UNet(nn.Module):
    """Two levels down and up; odd sizes are padded to what the way down has, as many implementations do."""

    def __init__(self, width=16):
        super().__init__()

        def double(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.ReLU())

        self.first, self.second, self.third = double(3, width), double(width, 2 * width), double(2 * width, 4 * width)
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.up1 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.fewer = nn.Conv2d(2 * width, width, 1)
        self.join2, self.join1 = double(4 * width, 2 * width), double(2 * width, width)
        self.out = nn.Conv2d(width, 2, 1)

    def meet(self, x, other):
        down, right = other.shape[2] - x.shape[2], other.shape[3] - x.shape[3]
        return torch.cat([other, F.pad(x, [0, right, 0, down])], 1)

    def forward(self, x):
        a = self.first(x)
        b = self.second(F.max_pool2d(a, 2))
        c = self.third(F.max_pool2d(b, 2))
        b = self.join2(self.meet(self.up2(c), b))
        return torch.sigmoid(self.out(self.join1(self.meet(self.fewer(self.up1(b)), a))))


class SuperResolution(nn.Module):
    """Convolutions and a pixel shuffle."""

    def __init__(self, factor=3):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 64, 5, padding=2),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(64, 32, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, factor**2, 3, padding=1),
            nn.PixelShuffle(factor),
        )

    def forward(self, x):
        return self.layers(x)


class ArcFace(nn.Module):
    """A residual network with PReLU, an embedding of length one, and its cosines with the classes, scaled."""

    def __init__(self):
        super().__init__()
        self.backbone = small_resnet()
        self.backbone.fc = nn.Identity()
        self.activation, self.norm = nn.PReLU(512), nn.BatchNorm1d(512)
        self.embed = nn.Linear(512, 128)
        self.classes = nn.Parameter(torch.randn(128, 100))

    def forward(self, x):
        embedding = F.normalize(self.embed(self.norm(self.activation(self.backbone((x - 127.5) * 0.0078125)))))
        cosine = embedding @ F.normalize(self.classes, dim=0)
        sine = torch.sqrt((1 - cosine * cosine).clamp(0, 1))
        margin = cosine * 0.8776 - sine * 0.4794
        return embedding, 64 * torch.where(cosine > -0.8776, margin, cosine - 0.2397)


class DepthDecoder(nn.Module):
    """Features resized to each other's sizes in several ways, as models of depth and flow do."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(3, 16, 3, 2, 1), nn.Conv2d(16, 24, 3, 2, 1), nn.Conv2d(24, 32, 3, 2, 1)])
        self.mix = nn.ModuleList([nn.Conv2d(16 + 24 + 32, 32, 1), nn.Conv2d(32, 1, 3, padding=1)])

    def forward(self, x):
        a = F.gelu(self.down[0](x))
        b = F.hardswish(self.down[1](a))
        c = F.silu(self.down[2](b))
        size = a.shape[-2:]
        joined = torch.cat(
            [a, F.interpolate(b, size=size, mode="bicubic"), F.interpolate(c, size=size, mode="bilinear", align_corners=False)], 1
        )
        y = F.interpolate(self.mix[0](joined), size=x.shape[-2:], mode="nearest")
        pooled = F.adaptive_avg_pool2d(y, 1)
        return F.relu(self.mix[1](y * torch.sigmoid(pooled)))


class Diffusion(nn.Module):
    """The blocks of a denoising U-Net: time embedding, group normalisation, attention over pixels."""

    def __init__(self, width=32):
        super().__init__()
        self.width = width
        self.time = nn.Sequential(nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))
        self.first, self.down = nn.Conv2d(4, width, 3, padding=1), nn.Conv2d(width, width, 3, 2, 1)
        self.norm1, self.norm2, self.norm3 = nn.GroupNorm(8, width), nn.GroupNorm(8, width), nn.GroupNorm(8, 2 * width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.conv, self.up, self.last = (
            nn.Conv2d(width, width, 3, padding=1),
            nn.ConvTranspose2d(width, width, 4, 2, 1),
            nn.Conv2d(2 * width, 4, 3, padding=1),
        )

    def embed(self, t):
        rates = torch.exp(torch.arange(self.width // 2) * (-9.21 / (self.width // 2)))
        angles = t[:, None].float() * rates[None]
        return self.time(torch.cat([angles.sin(), angles.cos()], -1))

    def attend(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm2(x).flatten(2).transpose(1, 2)).view(b, h * w, 3, 4, c // 4).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        return x + self.project(y.transpose(1, 2).reshape(b, h * w, c)).transpose(1, 2).reshape(b, c, h, w)

    def forward(self, x, t):
        skip = self.first(x)
        y = self.down(F.silu(self.norm1(skip))) + self.embed(t)[:, :, None, None]
        y = self.attend(self.conv(y))
        return self.last(F.silu(self.norm3(torch.cat([skip, self.up(y)], 1))))


class Generator(nn.Module):
    """From a vector to an image, in the steps of a DCGAN."""

    def __init__(self, width=16):
        super().__init__()
        widths = [4 * width, 2 * width, width]
        layers = [nn.ConvTranspose2d(32, widths[0], 4, 1, 0, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU()]
        for i, o in zip(widths, widths[1:], strict=False):
            layers += [nn.ConvTranspose2d(i, o, 4, 2, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.ConvTranspose2d(width, 3, 3, 2, 1, 1), nn.Tanh())

    def forward(self, z):
        return self.layers(z[:, :, None, None])


class SpatialTransformer(nn.Module):
    """Looks where an affine map says that it should look, and follows a flow."""

    def __init__(self):
        super().__init__()
        self.locate = nn.Sequential(nn.Conv2d(3, 8, 7, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(128, 6))
        self.flow = nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, x):
        theta = self.locate(x).view(-1, 2, 3) * 0.1 + torch.tensor([[1.0, 0, 0], [0, 1.0, 0]])
        y = F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False, padding_mode="border")
        flow = self.flow(y).tanh().permute(0, 2, 3, 1) * 0.2
        return F.grid_sample(y, F.affine_grid(theta, y.size(), align_corners=True) + flow, align_corners=True)


class Volume(nn.Module):
    """Convolutions of space and time, down and up."""

    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv3d(1, 8, 3, padding=1),
            nn.InstanceNorm3d(8, affine=True),
            nn.LeakyReLU(),
            nn.MaxPool3d(2),
            nn.Conv3d(8, 16, (1, 3, 3), padding=(0, 1, 1)),
        )
        self.up = nn.Sequential(nn.ConvTranspose3d(16, 8, 2, 2), nn.ELU(), nn.Conv3d(8, 2, 1))

    def forward(self, x):
        return self.up(self.down(x)).softmax(1)


def diffusion_inputs(batch, height, width):
    return {"image": torch.randn(batch, 4, height, width), "t": torch.randint(0, 1000, (batch,))}


def gray(batch, height, width):
    return image(batch, height, width, 1)


ROWS = [
    Row(
        "googlenet",
        lambda: models.GoogLeNet(num_classes=50, aux_logits=False, transform_input=True, init_weights=False),
        image,
        IMAGES,
        IMAGE,
        opset=13,
    ),
    Row("mobilenet-v3", small_mobilenet, image, IMAGES, IMAGE, opset=14),
    Row("efficientnet", small_efficientnet, image, IMAGES, IMAGE, opset=15),
    Row("efficientnet-v2", small_efficientnet_v2, image, IMAGES, IMAGE),
    Row("convnext", small_convnext, image, IMAGES, IMAGE),
    Row("shufflenet-v2", lambda: models.shufflenet_v2_x0_5(num_classes=50), image, IMAGES, IMAGE, opset=11),
    Row("densenet", lambda: models.DenseNet(8, (2, 2, 2), 16, num_classes=50), image, IMAGES, IMAGE, opset=13),
    Row("squeezenet", lambda: models.squeezenet1_1(num_classes=50), image, IMAGES, IMAGE, opset=13),
    Row(
        "regnet",
        lambda: models.RegNet(torchvision.models.regnet.BlockParams([1, 1], [24, 48], [8, 8], [1, 1], [2, 2], 0.25), num_classes=50),
        image,
        IMAGES,
        IMAGE,
    ),
    Row("vit", small_vit, image, BATCHES, BATCH, opset=14),
    Row("swin", small_swin, image, BATCHES, BATCH),
    Row("swin-v2", small_swin_v2, image, BATCHES, BATCH),
    Row("deeplab-v3", deeplab, image, IMAGES, IMAGE),
    Row("u-net", UNet, image, IMAGES + [{"batch": 1, "height": 51, "width": 70}], IMAGE),
    Row("super-resolution", SuperResolution, gray, IMAGES, IMAGE, opset=13),
    Row("arcface", ArcFace, image, BATCHES, BATCH, opset=13),
    Row("dcgan", Generator, lambda batch: {"z": torch.randn(batch, 32)}, BATCHES, {"z": {0: "batch"}}, opset=13),
    Row("spatial-transformer", SpatialTransformer, image, BATCHES, BATCH, opset=20, exporters=(DYNAMO,), dynamo_opset=20),
    Row(
        "volume",
        Volume,
        lambda batch, side: {"x": torch.randn(batch, 1, side, 16, 12)},
        [{"batch": 2, "side": 8}, {"batch": 1, "side": 14}],
        {"x": {0: "batch", 2: "side"}},
    ),
    Row(
        "resnext",
        lambda: models.ResNet(models.resnet.Bottleneck, [1, 1, 1, 1], 20, groups=8, width_per_group=4),
        image,
        IMAGES,
        IMAGE,
        opset=12,
    ),
    Row("mnasnet", lambda: models.mnasnet0_5(num_classes=20), image, IMAGES, IMAGE, opset=13),
    Row("lraspp", lambda: FirstOf(lraspp()), image, IMAGES, IMAGE, opset=13),
    Row("depth", DepthDecoder, image, IMAGES, IMAGE),
    Row(
        "diffusion",
        Diffusion,
        diffusion_inputs,
        [{"batch": 2, "height": 16, "width": 24}, {"batch": 1, "height": 32, "width": 16}],
        {"image": {0: "batch", 2: "height", 3: "width"}, "t": {0: "batch"}},
    ),
]
